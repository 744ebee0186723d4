package io.orbitkv.manager.boot;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.policy.SlotPlan;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import java.util.List;
import java.util.Map;

/** No plugin offers a policy. */
final class FakePolicies implements PolicyCatalog {
  @Override
  public Map<PolicySlot, List<Named>> configured() {
    return Map.of();
  }

  @Override
  public Reloaded reload() {
    return new Reloaded(Map.of(), List.of());
  }

  @Override
  public SlotPlan bind(PolicySlot slot, List<Named> named) {
    return SlotPlan.KERNEL;
  }

  @Override
  public ConfigNode.Mapping settings(Map<String, String> pairs) {
    return ConfigNode.Mapping.empty(Place.flag("test"));
  }

  @Override
  public ConfigNode.Mapping settings(String source, String yaml) {
    return ConfigNode.Mapping.empty(Place.flag(source));
  }

  @Override
  public List<Named> value(PolicySlot slot, String source, String yaml) {
    return List.of();
  }

  @Override
  public List<String> names(PolicySlot slot) {
    return List.of();
  }
}
