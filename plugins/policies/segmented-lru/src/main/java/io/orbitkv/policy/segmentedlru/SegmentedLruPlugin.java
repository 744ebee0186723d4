package io.orbitkv.policy.segmentedlru;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyFactory;
import java.util.List;

/** Entry of the plugin {@code segmented-lru}. */
public final class SegmentedLruPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public SegmentedLruPlugin() {}

  @Override
  public List<PolicyFactory<?>> policies() {
    return List.of(
        Policies.retention("segmented-lru", SegmentedLru.Settings.class, SegmentedLru::new));
  }
}
