package io.orbitkv.manager.experiment;

import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import java.util.List;
import java.util.Optional;

/**
 * The section {@code ab} of a configuration, as written.
 *
 * @param name of the experiment
 * @param patchOfA merge patch on {@code policies}
 * @param patchOfB the same
 * @param assignment which requests belong to which
 * @param assignmentPlace where that was written, for messages about what it cannot do
 * @param primary the measure that decides and its margin; empty when not given
 * @param guards what must not get worse
 * @param live how long it takes on live traffic
 */
public record ExperimentPlan(
    String name,
    ConfigNode.Mapping patchOfA,
    ConfigNode.Mapping patchOfB,
    Assignment assignment,
    Place assignmentPlace,
    Optional<Relative> primary,
    List<Relative> guards,
    LiveTerms live) {
  /** Copies the list. */
  public ExperimentPlan {
    guards = List.copyOf(guards);
  }
}
