package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import java.util.List;
import java.util.Map;

/** Finds policies by name, among the plugins that are there. Any thread. */
public interface PolicyCatalog {
  /**
   * A policy that is named for a slot. Holds nothing of a plugin's classes.
   *
   * @param policy its name, or that of a built-in
   * @param settings what is set of it
   */
  record Named(String policy, ConfigNode.Mapping settings) {}

  /** What the configuration of the start names; slots that it leaves out are absent. */
  Map<PolicySlot, List<Named>> configured();

  /**
   * Reads the configuration file again.
   *
   * @throws ConfigException when something is wrong with it, or something else than policies is
   *     another than at the start
   */
  Reloaded reload();

  /**
   * What the configuration file names now.
   *
   * @param policies slots that it leaves out are absent
   * @param notes what else has changed and what becomes of it
   */
  record Reloaded(Map<PolicySlot, List<Named>> policies, List<String> notes) {}

  /**
   * The section {@code policies} that {@link #configured}, or the last {@link #reload}, took its
   * names from; an empty one when there is none.
   */
  default ConfigNode.Mapping section() {
    return ConfigNode.Mapping.empty(new Place("default", 0, 0));
  }

  /**
   * The shadows that {@link #configured}, or the last {@link #reload}, names.
   *
   * @throws ConfigException naming what is not there, does not serve in its slot or does not fit
   */
  default ShadowPlan shadows() {
    return ShadowPlan.NONE;
  }

  /** The section {@code ab} beside it; an empty one when there is none. */
  default ConfigNode.Mapping experiment() {
    return ConfigNode.Mapping.empty(new Place("default", 0, 0));
  }

  /**
   * What a section {@code policies} names; slots that it leaves out are absent.
   *
   * @throws ConfigException with everything that is wrong
   */
  default Map<PolicySlot, List<Named>> named(ConfigNode.Mapping policies) {
    return Map.of();
  }

  /**
   * Finds the policies of a slot and checks their settings.
   *
   * @param named none for the kernel's default
   * @throws ConfigException naming what is not there, does not serve in the slot or does not fit
   */
  SlotPlan bind(PolicySlot slot, List<Named> named);

  /**
   * Settings as a command gives them.
   *
   * @param pairs by key
   */
  ConfigNode.Mapping settings(Map<String, String> pairs);

  /**
   * Settings in YAML.
   *
   * @param source what messages call the text
   * @throws ConfigException when it is none
   */
  ConfigNode.Mapping settings(String source, String yaml);

  /**
   * What would stand behind a slot in the configuration: a name, a name with its settings, or for
   * {@code cutoff} a list of both.
   *
   * @param source what messages call the text
   * @param yaml one line, in YAML or JSON
   * @throws ConfigException when it names no policies, or more than the slot takes
   */
  List<Named> value(PolicySlot slot, String source, String yaml);

  /** Names of the policies that can serve in a slot, sorted. */
  List<String> names(PolicySlot slot);
}
