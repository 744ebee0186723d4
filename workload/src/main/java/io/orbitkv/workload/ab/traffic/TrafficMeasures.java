package io.orbitkv.workload.ab.traffic;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.statistics.RequestMeasure;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** Measures of blocks of live traffic. Amounts are those of one query: load comes as it likes. */
final class TrafficMeasures {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double P95 = 0.95;
  private static final String QUERIES = "queries";

  /** What is summed, as the Manager names it. */
  private static final Map<Measure, String> AMOUNTS =
      Map.of(
          Measure.RESTORED_BYTES, "restored_bytes",
          Measure.SSD_READ_BYTES, "ssd_read_bytes",
          Measure.SSD_WRITTEN_BYTES, "ssd_written_bytes",
          Measure.DROPPED_PAGES, "dropped_pages",
          Measure.UNWRITTEN_PAGES, "unwritten_pages",
          Measure.ALLOCATION_FAILURES, "allocation_failures",
          Measure.READ_FAILURES, "read_failures",
          Measure.SPECULATIVE_USEFUL_BYTES, "speculative_useful_bytes",
          Measure.SPECULATIVE_UNUSED_BYTES, "speculative_unused_bytes");

  private TrafficMeasures() {}

  /**
   * A measure of an arm over its blocks.
   *
   * @return empty when the Manager did not tell what it takes
   */
  static Optional<RequestMeasure> of(
      Measure measure, List<TrafficExperiment.Block> blocks, Arm arm) {
    return switch (measure) {
      case PREFIX_HIT_RATIO -> ratio(blocks, arm, "hit_pages", 1, "asked_pages", 1);
      case WAIT_MEAN -> ratio(blocks, arm, "wait_nanos", NANOS_PER_SECOND, QUERIES, 1);
      case WAIT_P95 -> Optional.of(percentile(blocks, arm));
      // Of variants at once it says how many were assigned to each, not how fast they were.
      case THROUGHPUT ->
          blocks.stream().anyMatch(block -> block.arms().size() > 1)
              ? Optional.empty()
              : ratio(blocks, arm, QUERIES, 1, "nanos", NANOS_PER_SECOND);
      case RESTORED_BYTES,
          SSD_READ_BYTES,
          SSD_WRITTEN_BYTES,
          DROPPED_PAGES,
          UNWRITTEN_PAGES,
          ALLOCATION_FAILURES,
          READ_FAILURES,
          SPECULATIVE_USEFUL_BYTES,
          SPECULATIVE_UNUSED_BYTES ->
          ratio(blocks, arm, AMOUNTS.getOrDefault(measure, ""), 1, QUERIES, 1);
      case TTFT_MEAN,
          TTFT_P50,
          TTFT_P95,
          TTFT_P99,
          SPECULATIVE_PENDING_BYTES,
          BUDGET_PEAK_BYTES,
          DRAIN_SECONDS ->
          Optional.empty();
    };
  }

  /** Everything that is known of one arm over blocks. */
  static Map<Measure, Double> values(List<TrafficExperiment.Block> blocks, Arm arm) {
    Map<Measure, Double> values = new EnumMap<>(Measure.class);
    List<TrafficExperiment.Block> own =
        blocks.stream().filter(block -> block.arms().containsKey(arm)).toList();
    int[] ones = new int[own.size()];
    java.util.Arrays.fill(ones, 1);
    for (Measure measure : Measure.values()) {
      of(measure, own, arm)
          .map(known -> known.of(ones))
          .filter(Double::isFinite)
          .ifPresent(value -> values.put(measure, value));
    }
    return values;
  }

  private static Optional<RequestMeasure> ratio(
      List<TrafficExperiment.Block> blocks,
      Arm arm,
      String above,
      double aboveUnit,
      String below,
      double belowUnit) {
    double[] numerator = new double[blocks.size()];
    double[] denominator = new double[blocks.size()];
    for (int i = 0; i < numerator.length; i++) {
      Map<String, Long> sums = blocks.get(i).arms().getOrDefault(arm, Map.of());
      Long top = sums.get(above);
      Long bottom = sums.get(below);
      if (top == null || bottom == null) {
        return Optional.empty();
      }
      numerator[i] = top / aboveUnit;
      denominator[i] = bottom / belowUnit;
    }
    return Optional.of(RequestMeasure.ratio(numerator, denominator));
  }

  private static RequestMeasure percentile(List<TrafficExperiment.Block> blocks, Arm arm) {
    TreeSet<Long> ends = new TreeSet<>();
    blocks.forEach(block -> ends.addAll(block.waits().getOrDefault(arm, Map.of()).keySet()));
    List<Long> order = new ArrayList<>(ends);
    double[] values = order.stream().mapToDouble(nanos -> nanos / NANOS_PER_SECOND).toArray();
    int[][] counts = new int[blocks.size()][order.size()];
    for (int block = 0; block < counts.length; block++) {
      Map<Long, Integer> waits = blocks.get(block).waits().getOrDefault(arm, Map.of());
      for (int i = 0; i < order.size(); i++) {
        counts[block][i] = waits.getOrDefault(order.get(i), 0);
      }
    }
    return RequestMeasure.percentile(values, counts, P95);
  }
}
