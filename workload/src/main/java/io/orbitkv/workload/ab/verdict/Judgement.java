package io.orbitkv.workload.ab.verdict;

import io.orbitkv.workload.ab.statistics.Holm;
import io.orbitkv.workload.ab.statistics.Interval;
import io.orbitkv.workload.ab.statistics.Scale;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * A verdict and what it rests on.
 *
 * @param verdict what it says
 * @param reason why, in a sentence without a full stop
 * @param primary the measure that decided; empty when nothing could be compared
 * @param guards what came of each
 * @param exploratory everything else, without a verdict
 * @param adjusted their p values after Holm's correction, in the same order
 */
public record Judgement(
    Verdict verdict,
    String reason,
    Optional<Compared> primary,
    List<GuardState> guards,
    List<Compared> exploratory,
    List<Double> adjusted) {
  /** Copies the lists. */
  public Judgement {
    guards = List.copyOf(guards);
    exploratory = List.copyOf(exploratory);
    adjusted = List.copyOf(adjusted);
  }

  /**
   * Judges what was compared.
   *
   * @param withoutVerdict why effects may be shown and no verdict, such as too few pairs
   * @throws IllegalArgumentException when the primary measure is not among {@code compared}
   */
  public static Judgement of(
      Criteria criteria, List<Compared> compared, Optional<String> withoutVerdict) {
    Compared primary =
        compared.stream()
            .filter(one -> one.measure() == criteria.primary())
            .findFirst()
            .orElseThrow(() ->
                new IllegalArgumentException(
                    "measure ["
                        + criteria.primary().key()
                        + "] is not measured here: choose another as primary"));
    Verdict better = better(primary);
    List<GuardState> guards = new ArrayList<>();
    List<Compared> rest = new ArrayList<>();
    for (Compared one : compared) {
      Optional<Criteria.Guard> guard = criteria.guard(one.measure());
      guard.ifPresent(of -> guards.add(GuardState.of(of, one)));
      if (guard.isEmpty() && one.measure() != criteria.primary()) {
        rest.add(one);
      }
    }
    double[] adjusted =
        Holm.adjust(rest.stream().mapToDouble(one -> one.estimate().pValue()).toArray());
    Verdict verdict;
    String reason;
    Optional<Interval> interval = primary.estimate().interval();
    List<String> violated =
        guards.stream()
            .filter(guard -> guard.state() == GuardState.State.VIOLATED)
            .map(guard -> guard.guard().measure().key() + " " + guard.guard().limitText())
            .toList();
    if (withoutVerdict.isPresent()) {
      verdict = Verdict.NONE;
      reason = withoutVerdict.get();
    } else if (interval.isEmpty()) {
      verdict = Verdict.NO_DIFFERENCE_SHOWN;
      reason =
          "nothing varied in "
              + primary.measure().key()
              + ", so its error is not known and repeating adds no evidence";
    } else if (better == Verdict.NONE) {
      boolean inside = inside(primary, interval.get(), criteria.margin());
      verdict = inside ? Verdict.EQUIVALENT : Verdict.NO_DIFFERENCE_SHOWN;
      reason =
          inside
              ? "the whole interval lies within the margin of ± " + criteria.marginText()
              : "the interval includes no effect, and more than the margin";
    } else if (better == Verdict.B && !violated.isEmpty()) {
      verdict = Verdict.NO_DIFFERENCE_SHOWN;
      reason =
          better.text()
              + " is better in "
              + primary.measure().key()
              + ", but violates the guard "
              + String.join(", ", violated);
    } else {
      verdict = better;
      reason =
          "the interval of "
              + primary.measure().key()
              + " excludes no effect"
              + (guards.isEmpty() || better == Verdict.A ? "" : ", and no guard is violated")
              + (inside(primary, interval.get(), criteria.margin())
                  ? "; the difference is smaller than the margin of ± " + criteria.marginText()
                  : "");
    }
    return new Judgement(
        verdict,
        reason,
        Optional.of(primary),
        guards,
        rest,
        Arrays.stream(adjusted).boxed().toList());
  }

  /** Whether more of the same could show a difference that these runs do not. */
  public boolean open() {
    return verdict == Verdict.NO_DIFFERENCE_SHOWN
        && primary
            .flatMap(compared -> compared.estimate().interval())
            .filter(interval -> !interval.excludesZero())
            .isPresent();
  }

  /** Nothing was compared. */
  public static Judgement none(String reason) {
    return new Judgement(Verdict.NONE, reason, Optional.empty(), List.of(), List.of(), List.of());
  }

  private static Verdict better(Compared primary) {
    Optional<Interval> interval = primary.estimate().interval();
    if (interval.isEmpty() || !interval.get().excludesZero()) {
      return Verdict.NONE;
    }
    return primary.measure().harm(primary.estimate().effect()) < 0 ? Verdict.B : Verdict.A;
  }

  private static boolean inside(Compared primary, Interval interval, double margin) {
    Scale scale = primary.scale();
    double up = scale.ofRelativeChange(margin, primary.a());
    double down = scale.ofRelativeChange(-margin, primary.a());
    return interval.within(down, up);
  }
}
