package io.orbitkv.manager.config;

import io.orbitkv.manager.experiment.ExperimentPlan;
import io.orbitkv.manager.experiment.ExperimentReader;
import io.orbitkv.manager.experiment.Isolation;
import io.orbitkv.manager.experiment.LiveMeasure;
import io.orbitkv.manager.experiment.LivePartition;
import io.orbitkv.manager.experiment.LiveTerms;
import io.orbitkv.manager.experiment.PolicyPatch;
import io.orbitkv.manager.experiment.Relative;
import io.orbitkv.manager.experiment.Schedule;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Checks the section {@code ab} as far as it can be without plugins. A Manager that finds the
 * section in its file begins with none of it: somebody starts the experiment.
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

  /**
   * What a Manager with this section says to {@code ab start}, as far as it is known before one
   * runs.
   */
  static String onLiveTraffic(ExperimentPlan plan, ConfigNode.Mapping policies) {
    Isolation isolation = plan.assignment().isolation();
    LiveTerms live = plan.live();
    boolean turns = isolation == Isolation.TIME;
    List<String> refusals = new ArrayList<>();
    boolean divides = LivePartition.of(plan.assignment()).isPresent();
    if (isolation == Isolation.PARTITION && !divides) {
      refusals.add(LivePartition.BY_CHAIN);
    }
    plan.primary()
        .flatMap(primary -> LiveMeasure.problem(primary, isolation, false))
        .ifPresent(problem -> refusals.add("primary " + problem));
    for (Relative guard : plan.guards()) {
      LiveMeasure.problem(guard, isolation, true)
          .ifPresent(problem -> refusals.add("guard " + problem));
    }
    if (live.horizon().isPresent() && (isolation != Isolation.PARTITION || divides)) {
      try {
        Schedule.of(
            turns ? plan.assignment().slot() : live.block(),
            live.horizon().get(),
            live.same(),
            turns,
            live.shortBlocks());
      } catch (IllegalArgumentException refused) {
        refusals.add(String.valueOf(refused.getMessage()));
      }
    }
    if (!refusals.isEmpty()) {
      return "'ab start' would refuse it: " + String.join("; ", refusals);
    }
    boolean content =
        !Isolation.sharable(
            PolicyPatch.differing(
                PolicyPatch.apply(policies, plan.patchOfA()),
                PolicyPatch.apply(policies, plan.patchOfB())));
    return (divides
            ? "tiers, budgets and write allowance are divided into two cells from the start on; "
            : "")
        + "'ab start' starts it"
        + (live.horizon().isPresent() ? "" : " with --for DURATION")
        + (turns && content
            ? ", unless a turn is shorter than the cache takes to replace its content"
            : "");
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
