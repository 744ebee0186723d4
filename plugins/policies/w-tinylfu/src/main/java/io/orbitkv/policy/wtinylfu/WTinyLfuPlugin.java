package io.orbitkv.policy.wtinylfu;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import java.util.List;
import java.util.Set;

/** Entry of the plugin {@code w-tinylfu}. */
public final class WTinyLfuPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public WTinyLfuPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        new PolicyFactory<>(
            "w-tinylfu",
            Set.of(PolicySlot.RETENTION_DRAM, PolicySlot.RETENTION_SSD),
            WTinyLfu.Settings.class,
            false,
            WTinyLfu::new));
  }
}
