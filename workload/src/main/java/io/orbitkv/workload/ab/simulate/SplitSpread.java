package io.orbitkv.workload.ab.simulate;

import io.orbitkv.workload.ab.assign.Split;
import io.orbitkv.workload.ab.simulate.SimulatedExperiment.Resamples;
import io.orbitkv.workload.ab.statistics.PairedT;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a split of the conversations does to an effect: variants in partitions, with one salt after
 * the other, beside each variant alone with everything, which is what either would do.
 *
 * @param trace that all of them met
 * @param measure that is compared
 * @param aloneA its value for A alone
 * @param aloneB its value for B alone
 * @param splits by salt
 */
public record SplitSpread(
    String trace, Measure measure, double aloneA, double aloneB, List<OfSplit> splits) {
  /** Most splits that anybody needs. */
  public static final int MOST = 1_000;

  /**
   * Of one split.
   *
   * @param salt of the split
   * @param a value of A, on its conversations and its share of the capacity
   * @param b the same of B
   */
  public record OfSplit(long salt, double a, double b) {
    /** B less A. */
    public double effect() {
      return b - a;
    }
  }

  /** Copies the list. */
  public SplitSpread {
    splits = List.copyOf(splits);
  }

  /**
   * Compares alone and in partitions.
   *
   * @param salt of the first split; each further one takes the next
   * @param count of splits
   * @throws IllegalArgumentException when the number is none of 2 to {@link #MOST}, or nothing can
   *     be compared
   */
  public static SplitSpread of(
      SimulatedModel model, Criteria criteria, double shareOfA, long salt, int count) {
    if (count < 2 || count > MOST) {
      throw new IllegalArgumentException(
          "[" + count + "] salts: 2 to " + MOST + " tell how much a split matters");
    }
    // Effects alone are wanted, and those are the same whatever is drawn.
    Resamples few = new Resamples(2, salt);
    Compared alone = primary(SimulatedExperiment.alone(model, criteria, few));
    List<OfSplit> splits = new ArrayList<>();
    for (long next = salt; next < salt + count; next++) {
      Compared split =
          primary(SimulatedExperiment.partition(model, criteria, new Split(shareOfA, next), few));
      splits.add(new OfSplit(next, split.a(), split.b()));
    }
    return new SplitSpread(model.trace(), criteria.primary(), alone.a(), alone.b(), splits);
  }

  private static Compared primary(SimulatedExperiment.Result result) {
    return result
        .judgement()
        .primary()
        .orElseThrow(() -> new IllegalArgumentException(result.judgement().reason()));
  }

  /** B less A, each alone. */
  public double aloneEffect() {
    return aloneB - aloneA;
  }

  /** B less A in partitions, the mean over all splits. */
  public double meanEffect() {
    return splits.stream().mapToDouble(OfSplit::effect).average().orElse(0);
  }

  /** Standard deviation of that between splits. */
  public double deviation() {
    return PairedT.deviation(splits.stream().mapToDouble(OfSplit::effect).toArray());
  }

  /** Whether the mean over all splits has the sign of the effect alone. */
  public boolean sameSign() {
    return Math.signum(meanEffect()) == Math.signum(aloneEffect());
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(json -> {
      json.field("trace", trace)
          .field("measure", measure.key())
          .field("alone_a", aloneA, 6)
          .field("alone_b", aloneB, 6)
          .field("alone_effect", aloneEffect(), 6)
          .field("partition_effect_mean", meanEffect(), 6)
          .field("partition_effect_deviation", deviation(), 6)
          .field("same_sign", sameSign());
      json.objects(
          "salts",
          splits,
          (row, split) ->
              row.field("salt", split.salt())
                  .field("a", split.a(), 6)
                  .field("b", split.b(), 6)
                  .field("effect", split.effect(), 6));
    });
  }

  /** A table for people. */
  public String table() {
    TextTable table = new TextTable().row("trace", trace).row("measure", measure.key());
    table.row("each alone", figures(aloneA, aloneB));
    for (OfSplit split : splits) {
      table.row("salt " + split.salt(), figures(split.a(), split.b()));
    }
    table.row(
        "partitions",
        String.format(
            Locale.ROOT,
            "%+.4g on the average of %d salts, standard deviation %.4g",
            meanEffect(),
            splits.size(),
            deviation()));
    return table.text()
        + (sameSign()
            ? "\nThe sign is that of each alone.\n"
            : "\nThe sign is not that of each alone.\n");
  }

  private static String figures(double a, double b) {
    return String.format(Locale.ROOT, "A %.4g, B %.4g, B less A %+.4g", a, b, b - a);
  }
}
