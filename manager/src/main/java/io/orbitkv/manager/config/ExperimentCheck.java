package io.orbitkv.manager.config;

import io.orbitkv.manager.experiment.ExperimentPlan;
import io.orbitkv.manager.experiment.ExperimentReader;
import io.orbitkv.manager.experiment.PolicyPatch;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Problems;
import java.time.Duration;
import java.util.Optional;

/**
 * Checks the section {@code ab} as far as it can be without plugins. The experiment itself is the
 * command's affair: a Manager that finds the section in its file runs none.
 */
final class ExperimentCheck {
  static final String KEY = ExperimentReader.KEY;

  private ExperimentCheck() {}

  /**
   * Notes everything that is wrong, with its place.
   *
   * @return the plan, for {@code config show}; empty when there is none or it is wrong
   */
  static Optional<ExperimentPlan> check(
      ConfigNode.Mapping ab, ConfigNode.Mapping policies, Problems problems) {
    if (ab.entries().isEmpty()) {
      return Optional.empty();
    }
    ExperimentPlan plan = ExperimentReader.read(ab, problems);
    // What is wrong in both would be told three times.
    if (!problems.concern(KEY) && !problems.concern(PolicyChoices.KEY)) {
      ConfigNode.Mapping ofA = PolicyPatch.apply(policies, plan.patchOfA());
      ConfigNode.Mapping ofB = PolicyPatch.apply(policies, plan.patchOfB());
      variant("A", ofA, problems);
      variant("B", ofB, problems);
      // How fast a cache turns over is known only while it runs.
      plan.assignment()
          .isolation()
          .refusal(PolicyPatch.differing(ofA, ofB), plan.assignment().slot(), Duration.ZERO)
          .ifPresent(
              refusal -> problems.add(plan.assignmentPlace(), KEY + ".assign.isolation", refusal));
    }
    return problems.concern(KEY) ? Optional.empty() : Optional.of(plan);
  }

  private static void variant(String name, ConfigNode.Mapping policies, Problems problems) {
    Problems own = new Problems();
    PolicyChoices.of(policies, own);
    try {
      own.throwIfAny();
    } catch (ConfigException wrong) {
      String prefix = KEY + ".variants." + name;
      for (ConfigProblem problem : wrong.problems()) {
        String key = prefix + problem.key().substring(PolicyChoices.KEY.length());
        problems.add(new ConfigProblem(problem.where(), key, problem.message()));
      }
    }
  }
}
