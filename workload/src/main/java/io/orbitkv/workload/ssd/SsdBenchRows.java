package io.orbitkv.workload.ssd;

import io.orbitkv.workload.report.Medians;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Makes the rows of one subject at one size of pages out of its rounds and those of fio. */
final class SsdBenchRows {
  private final String engine;
  private final List<Path> files;
  private final long pageBytes;
  private final List<SsdRun> runs;
  private final @Nullable List<SsdRun> fio;

  /**
   * @param runs one a round, at least one
   * @param fio as many; null when there is nothing to compare with
   */
  SsdBenchRows(
      String engine,
      List<Path> files,
      long pageBytes,
      List<SsdRun> runs,
      @Nullable List<SsdRun> fio) {
    this.engine = engine;
    this.files = files;
    this.pageBytes = pageBytes;
    this.runs = runs;
    this.fio = fio;
  }

  List<SsdBenchRow> rows() {
    List<SsdBenchRow> rows = new ArrayList<>();
    if (ran(Phase.BOTH)) {
      rows.add(row(Phase.READ, Phase.WRITE, null));
      rows.add(row(Phase.BOTH, Phase.BOTH, Phase.READ));
    }
    if (ran(Phase.HALF_BOTH)) {
      rows.add(row(Phase.HALF_READ, Phase.HALF_READ, null));
      rows.add(row(Phase.HALF_BOTH, Phase.HALF_BOTH, Phase.HALF_READ));
    }
    if (ran(Phase.DRAINED_BOTH)) {
      rows.add(row(Phase.DRAINED_READ, Phase.DRAINED_READ, null));
      rows.add(row(Phase.DRAINED_BOTH, Phase.DRAINED_BOTH, Phase.DRAINED_READ));
    }
    return rows;
  }

  private boolean ran(Phase phase) {
    return runs.getFirst().phases().containsKey(phase);
  }

  private SsdBenchRow row(Phase reading, Phase writing, @Nullable Phase withoutWrites) {
    ToDoubleFunction<SsdRun> readBytes = run -> run.of(reading).reads().bytesPerSecond();
    ToDoubleFunction<SsdRun> writeBytes = run -> run.of(writing).writes().bytesPerSecond();
    ToDoubleFunction<SsdRun> readP99 = run -> run.of(reading).reads().p99Micros();
    return new SsdBenchRow(
        engine,
        files,
        pageBytes,
        reading.load(),
        withoutWrites != null,
        median(readBytes),
        median(writeBytes),
        median(run -> run.of(reading).reads().perSecond()),
        median(run -> run.of(writing).writes().perSecond()),
        median(run -> run.of(reading).reads().p50Micros()),
        median(readP99),
        median(run -> run.of(reading).reads().p99FromDueMicros()),
        median(run -> run.of(writing).writes().p50Micros()),
        median(run -> run.of(writing).writes().p99Micros()),
        ratioToFio(readBytes),
        ratioToFio(writeBytes),
        ratioToFio(readP99),
        withoutWrites == null
            ? 0
            : ratio(runs, readP99, runs, run -> run.of(withoutWrites).reads().p99Micros()));
  }

  private double median(ToDoubleFunction<SsdRun> figure) {
    return Medians.of(runs.stream().mapToDouble(figure).toArray());
  }

  private double ratioToFio(ToDoubleFunction<SsdRun> figure) {
    List<SsdRun> others = fio;
    return others == null ? 0 : ratio(runs, figure, others, figure);
  }

  private static double ratio(
      List<SsdRun> runs,
      ToDoubleFunction<SsdRun> figure,
      List<SsdRun> others,
      ToDoubleFunction<SsdRun> otherFigure) {
    double[] ratios = new double[Math.min(runs.size(), others.size())];
    for (int round = 0; round < ratios.length; round++) {
      double other = otherFigure.applyAsDouble(others.get(round));
      ratios[round] = other == 0 ? 0 : figure.applyAsDouble(runs.get(round)) / other;
    }
    return ratios.length == 0 ? 0 : Medians.of(ratios);
  }
}
