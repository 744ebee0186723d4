package io.orbitkv.manager.config;

import io.orbitkv.manager.experiment.ExperimentPlan;
import io.orbitkv.manager.experiment.ExperimentReader;
import io.orbitkv.manager.experiment.PolicyPatch;
import io.orbitkv.manager.experiment.Relative;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;

/**
 * Checks what the section {@code ab} names: whether plugins offer the policies of both variants,
 * whether these take their settings, and whether there are such measures.
 */
public final class ExperimentBinding {
  private static final String VARIANTS = ExperimentReader.KEY + ".variants.";

  private final Problems problems = new Problems();
  private final Measures measures;

  private ExperimentBinding(Measures measures) {
    this.measures = measures;
  }

  /** What can be measured. Each method throws {@link IllegalArgumentException} saying what not. */
  public interface Measures {
    /** A measure that decides. */
    void measure(String name);

    /** Its margin. */
    void margin(String percent);

    /** A measure that must not get worse than a limit. */
    void guard(String name, String limit);
  }

  /**
   * Checks the section, if there is one.
   *
   * @param config without mistakes, as far as it can be checked without plugins
   * @throws ConfigException with everything that is wrong
   */
  public static void check(ManagerConfig config, PluginHost host, Measures measures) {
    ConfigNode.Mapping ab = config.settings().ab();
    ExperimentBinding binding = new ExperimentBinding(measures);
    ExperimentPlan plan = ExperimentReader.read(ab, binding.problems);
    if (ab.entries().isEmpty() || !binding.problems.isEmpty()) {
      return; // What is wrong with the section itself was told before.
    }
    plan.primary().ifPresent(binding::primary);
    plan.guards().forEach(binding::guard);
    ConfigNode.Mapping policies = config.settings().policies();
    binding.variant("A", PolicyPatch.apply(policies, plan.patchOfA()), host);
    binding.variant("B", PolicyPatch.apply(policies, plan.patchOfB()), host);
    binding.problems.throwIfAny();
  }

  private void primary(Relative primary) {
    String key = ExperimentReader.KEY + ".primary.";
    tell(primary.place(), key + "measure", () -> measures.measure(primary.measure()));
    tell(primary.place(), key + "margin", () -> measures.margin(primary.percent()));
  }

  private void guard(Relative guard) {
    String key = ExperimentReader.KEY + ".guards." + guard.measure();
    tell(guard.place(), key, () -> measures.guard(guard.measure(), guard.percent()));
  }

  private void tell(Place place, String key, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException wrong) {
      problems.add(place, key, String.valueOf(wrong.getMessage()));
    }
  }

  /** What both have from {@code policies} itself is told there. */
  private void variant(String name, ConfigNode.Mapping policies, PluginHost host) {
    Problems own = new Problems();
    new PolicyBinding(host, own).bindAll(PolicyChoices.of(policies, own).choices());
    try {
      own.throwIfAny();
    } catch (ConfigException wrong) {
      for (ConfigProblem problem : wrong.problems()) {
        String key = VARIANTS + name + problem.key().substring(PolicyChoices.KEY.length());
        problems.add(new ConfigProblem(problem.where(), key, problem.message()));
      }
    }
  }
}
