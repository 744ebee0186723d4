package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.simulate.ReferenceLines;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that is told of an experiment, however it is written.
 *
 * @param name of the experiment
 * @param kind of runs
 * @param trace that both variants met
 * @param setup what was the same for both, as names and values in their order
 * @param variants what differed, and what each came to
 * @param criteria what decides
 * @param judgement the verdict
 * @param needed what a verdict would take, in words; empty when there is one
 * @param runs in the order in which they ran; for a model its stretches of time
 * @param orderEffect what going first alone makes, on the primary's scale
 * @param voids pairs that do not count, in words
 * @param references what the trace offers; empty for live runs
 * @param notes what a reader must know, such as which times are modelled
 */
public record ExperimentReport(
    String name,
    Kind kind,
    String trace,
    List<Fact> setup,
    List<Variant> variants,
    Criteria criteria,
    Judgement judgement,
    String needed,
    List<Run> runs,
    Optional<Double> orderEffect,
    List<String> voids,
    Optional<ReferenceLines> references,
    List<String> notes) {
  /** Copies the lists. */
  public ExperimentReport {
    setup = List.copyOf(setup);
    variants = List.copyOf(variants);
    runs = List.copyOf(runs);
    voids = List.copyOf(voids);
    notes = List.copyOf(notes);
  }

  /** What ran. */
  public enum Kind {
    /** Pairs of runs on a Manager. */
    LIVE("live"),
    /** Blocks of time on a Manager that works. */
    TRAFFIC("traffic"),
    /** A model of the cache. */
    SIMULATION("simulation");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    /** As it is written. */
    public String text() {
      return text;
    }
  }

  /**
   * A name and a value.
   *
   * @param name in snake case
   * @param value as it is shown
   */
  public record Fact(String name, String value) {}

  /**
   * A variant.
   *
   * @param arm which
   * @param policies its section {@code policies}, as JSON
   * @param totals over everything that it met, untimed and uncounted parts included
   */
  public record Variant(Arm arm, String policies, Map<Measure, Double> totals) {
    /** Copies the map. */
    public Variant {
      totals = Map.copyOf(totals);
    }
  }

  /**
   * One run, or one stretch of time of a model.
   *
   * @param index in the order in which they ran, from 0
   * @param pair that it belongs to, from 1; 0 for what was thrown away
   * @param order of the pair, such as AB; empty for a model
   * @param arm that ran
   * @param counts whether its pair counts
   * @param values by measure
   */
  public record Run(
      int index, int pair, String order, Arm arm, boolean counts, Map<Measure, Double> values) {
    /** Copies the map. */
    public Run {
      values = Map.copyOf(values);
    }
  }
}
