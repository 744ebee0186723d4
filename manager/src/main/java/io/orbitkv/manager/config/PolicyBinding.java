package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.plugin.Capability;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginInfo;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.settings.BoundValue;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.manager.settings.SettingsBinder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Finds policies among the plugins that are there and checks their settings. */
public final class PolicyBinding {
  private static final String BUILT_IN =
      "built in: " + PolicyChoice.DEFAULT + " and " + PolicyChoice.NONE;

  private final PluginHost host;
  private final Problems problems;
  private final String section;

  PolicyBinding(PluginHost host, Problems problems) {
    this(host, problems, PolicyChoices.KEY);
  }

  /**
   * @param section key of the section that names the policies
   */
  PolicyBinding(PluginHost host, Problems problems, String section) {
    this.host = host;
    this.problems = problems;
    this.section = section;
  }

  /**
   * Binds what is named for one slot.
   *
   * @param choices all of them of that slot
   * @return none when the slot runs a built-in
   * @throws ConfigException with everything that is wrong
   */
  public static List<BoundPolicy> bind(List<PolicyChoice> choices, PluginHost host) {
    Problems problems = new Problems();
    List<BoundPolicy> bound = new PolicyBinding(host, problems).bindAll(choices);
    problems.throwIfAny();
    return bound;
  }

  /** Binds what is named for the slots; what is wrong is noted and left out. */
  List<BoundPolicy> bindAll(List<PolicyChoice> choices) {
    List<BoundPolicy> bound = new ArrayList<>();
    for (PolicyChoice choice : choices) {
      BoundPolicy policy = choice.builtIn() ? builtIn(choice, choices) : bind(choice);
      if (policy == null) {
        continue;
      }
      boolean twice =
          bound.stream()
              .anyMatch(other ->
                  other.choice().slot() == choice.slot()
                      && other.choice().name().equals(choice.name())
                      && other.settings().equals(policy.settings()));
      if (twice) {
        problem(
            choice, "[" + choice.name() + "] is named twice with equal settings: leave one out");
      } else {
        bound.add(policy);
      }
    }
    return bound;
  }

  private @Nullable BoundPolicy builtIn(PolicyChoice choice, List<PolicyChoice> all) {
    if (!choice.settings().entries().isEmpty()) {
      problem(choice, "[" + choice.name() + "] has nothing to set: write the name alone");
    }
    boolean alone = all.stream().filter(other -> other.slot() == choice.slot()).count() == 1;
    if (!alone) {
      problem(choice, "[" + choice.name() + "] stands alone: leave it out, or the others");
    }
    return null;
  }

  private @Nullable BoundPolicy bind(PolicyChoice choice) {
    Optional<Provided<PolicyFactory<?>>> found = host.policy(choice.name());
    if (found.isEmpty()) {
      problem(
          choice,
          "no plugin offers the policy ["
              + choice.name()
              + "]"
              + Absence.refusedInstead(host, choice.name())
              + offeredFor(choice.slot())
              + "; "
              + BUILT_IN
              + "; plugins are looked for in ["
              + host.directory()
              + "]");
      return null;
    }
    PolicyFactory<?> factory = found.get().factory();
    if (!factory.slots().contains(choice.slot())) {
      problem(
          choice,
          "the policy ["
              + choice.name()
              + "] serves in ["
              + String.join(", ", factory.slots().stream().map(PolicySlot::key).toList())
              + "], not here"
              + offeredFor(choice.slot())
              + "; "
              + BUILT_IN);
      return null;
    }
    return bind(choice, found.get());
  }

  private @Nullable BoundPolicy bind(PolicyChoice choice, Provided<PolicyFactory<?>> provided) {
    Problems own = new Problems();
    SettingsBinder binder = new SettingsBinder(Map.of(), own);
    Record settings =
        binder.section(
            provided.factory().settings(),
            choice.settings(),
            key(choice) + "." + choice.name() + ".");
    try {
      own.throwIfAny();
    } catch (ConfigException wrong) {
      problems.addAll(wrong);
      return null;
    }
    if (settings == null) {
      return null;
    }
    List<ShownValue> values = new ArrayList<>();
    for (BoundValue value : binder.values()) {
      values.add(
          new ShownValue(value.info().key(), value.text(), value.origin(), value.text(), ""));
    }
    return new BoundPolicy(choice, provided, settings, values);
  }

  private String offeredFor(PolicySlot slot) {
    List<String> offered = names(host, slot);
    return offered.isEmpty()
        ? ""
        : "; offered for " + slot.key() + ": [" + String.join(", ", offered) + "]";
  }

  /** Policies of started plugins that can serve in a slot, sorted. */
  public static List<String> names(PluginHost host, PolicySlot slot) {
    List<String> names = new ArrayList<>();
    for (PluginInfo plugin : host.plugins()) {
      for (Capability capability : plugin.capabilities()) {
        if (capability.kind() == Capability.Kind.POLICY
            && capability.slots().contains(slot.key())) {
          names.add(capability.name());
        }
      }
    }
    return names.stream().sorted().toList();
  }

  private void problem(PolicyChoice choice, String message) {
    problems.add(choice.place(), key(choice), message);
  }

  private String key(PolicyChoice choice) {
    return section + "." + choice.slot().key();
  }
}
