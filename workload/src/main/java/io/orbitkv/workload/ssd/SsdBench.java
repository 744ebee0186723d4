package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.report.Medians;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Measures a tier through its contract, whole: submission, store, device, checksum, report. For
 * each size of pages and each round every engine, and fio where it is asked for, has its turn on
 * the same file, in an order that is reversed from round to round, so that a disk whose speed
 * drifts favours none of them.
 *
 * <p>{@link #run} on one thread; {@link #progress} on any.
 */
public final class SsdBench {
  /** The name of fio among the engines. */
  public static final String FIO = "fio";

  private static final Duration FILL_LIMIT = Duration.ofMinutes(10);
  private static final Duration CHECK_LIMIT = Duration.ofMinutes(2);

  /** Bytes that are compared after each phase that reads. */
  private static final long CHECKED_BYTES = 64L << 20;

  private static final long USUAL_PAGE_BYTES = 1L << 20;
  private static final long LEAST_CHECKED_PAGES = 16;

  private final SsdBenchOptions options;
  private final TierSource source;
  private final SsdBenchResult.Collector results;
  private final Map<Long, List<Double>> readRates = new HashMap<>();
  private volatile String progress = "";

  /** A benchmark that has not begun. */
  public SsdBench(SsdBenchOptions options, TierSource source) {
    this.options = options;
    this.source = source;
    this.results = new SsdBenchResult.Collector(options);
  }

  /** What it is at; empty before. */
  public String progress() {
    return progress;
  }

  /**
   * Measures everything.
   *
   * @throws IllegalArgumentException when the file cannot be used, with what to do
   * @throws IllegalStateException when the tier refuses it
   * @throws IOException when file or fio fail
   * @throws InterruptedException when interrupted; the file is removed and nothing is open
   */
  public SsdBenchResult run() throws IOException, InterruptedException {
    @Nullable String program = options.fio();
    Fio fio = program == null ? null : Fio.find(program);
    if (fio != null) {
      results.fioVersion(fio.version());
    }
    long memoryBytes =
        Math.ceilDiv(options.memoryBytes(), PageBytes.BLOCK_BYTES) * PageBytes.BLOCK_BYTES;
    try (BenchFile file =
            BenchFile.of(options.file(), options.bytes(), options.overwrite(), options.keep());
        SlotMemory memory = new SlotMemory(memoryBytes)) {
      writeOnce(file, memory);
      for (int round = 0; round < options.rounds(); round++) {
        for (long page : options.pageBytes()) {
          for (String subject : subjects(round, fio != null)) {
            Turn turn = new Turn(round, page, subject);
            SsdRun run =
                subject.equals(FIO) && fio != null
                    ? measure(fio, turn)
                    : measure(file, memory, turn);
            results.add(page, subject, run);
          }
        }
      }
    }
    return results.result();
  }

  /**
   * Whose turn it is.
   *
   * @param round from 0
   * @param pageBytes of a page
   * @param subject an engine, or {@link #FIO}
   */
  private record Turn(int round, long pageBytes, String subject) {}

  private List<String> subjects(int round, boolean withFio) {
    List<String> subjects = new ArrayList<>(options.engines());
    if (withFio) {
      subjects.add(FIO);
    }
    if (round % 2 == 1) {
      Collections.reverse(subjects);
    }
    return subjects;
  }

  // ---- the tier --------------------------------------------------------------------------------

  private SsdRun measure(BenchFile file, SlotMemory memory, Turn turn)
      throws IOException, InterruptedException {
    file.forgetStore();
    try (BackingTier tier = source.open(store(turn.subject()), memory.chunks())) {
      return measure(tier, memory, turn);
    }
  }

  private TierSource.Store store(String engine) {
    return new TierSource.Store(
        options.file().toAbsolutePath(),
        options.bytes(),
        engine,
        options.direct(),
        true,
        options.writeSharePercent());
  }

  /**
   * Writes the file in full before anything is measured: the first write of a block costs a file
   * system more than a later one.
   */
  private void writeOnce(BenchFile file, SlotMemory memory)
      throws IOException, InterruptedException {
    progress = "writing the file once";
    file.forgetStore();
    long page = options.pageBytes().stream().min(SsdBench::closerToTheUsual).orElseThrow();
    try (BackingTier tier = source.open(store(options.engines().getFirst()), memory.chunks())) {
      TierDriver driver = new TierDriver(tier, memory, page, options.depth(), options.seed());
      driver.start();
      LoadResult _ =
          driver.run(Load.fill(options.depth(), Math.ceilDiv(options.bytes(), page), FILL_LIMIT));
    }
  }

  private static int closerToTheUsual(long left, long right) {
    return Long.compare(Math.abs(left - USUAL_PAGE_BYTES), Math.abs(right - USUAL_PAGE_BYTES));
  }

  private SsdRun measure(BackingTier tier, SlotMemory memory, Turn turn)
      throws InterruptedException {
    int depth = options.depth();
    long page = turn.pageBytes();
    TierDriver driver =
        new TierDriver(tier, memory, page, depth, options.seed() + 31L * turn.round());
    driver.start();
    SsdRun.Builder run = new SsdRun.Builder();
    Load.Stream none = Load.Stream.NONE;
    Load.Stream most = Load.Stream.asFastAsPossible(depth);

    run.add(Phase.WRITE, drive(driver, turn, Phase.WRITE, none, most));
    progress = turn(turn) + ": filling";
    long missing = options.pagesToRead(page) - driver.residentPages();
    if (missing > 0) {
      run.addUncounted(driver.run(Load.fill(depth, missing, FILL_LIMIT)));
    }
    LoadResult read = run.add(Phase.READ, drive(driver, turn, Phase.READ, most, none));
    check(driver, turn, run);
    run.add(Phase.BOTH, drive(driver, turn, Phase.BOTH, most, most));
    check(driver, turn, run);
    double half = halfRate(page, read) / page;
    if (half <= 0) {
      throw new IllegalStateException(
          "no page could be read in "
              + options.time().toMillis()
              + " ms, failures "
              + read.failures()
              + ": give it more --seconds, or look at the device");
    }
    Load.Stream halfReads = new Load.Stream(depth, half);
    double writes = Phase.writesBeside(half, options.writeSharePercent());
    Load.Stream shareWrites = new Load.Stream(depth, writes);
    run.add(Phase.HALF_READ, drive(driver, turn, Phase.HALF_READ, halfReads, none));
    run.add(Phase.HALF_BOTH, drive(driver, turn, Phase.HALF_BOTH, halfReads, shareWrites));
    check(driver, turn, run);
    return run.build();
  }

  /**
   * Half the rate of reads alone in bytes a second: of the median of all subjects and rounds so
   * far, so that all are measured at one rate and no single disturbance decides it.
   */
  private double halfRate(long page, LoadResult read) {
    List<Double> rates = readRates.computeIfAbsent(page, ignored -> new ArrayList<>());
    rates.add(read.reads().bytesPerSecond());
    return Medians.of(rates.stream().mapToDouble(Double::doubleValue).toArray()) / 2;
  }

  private LoadResult drive(
      TierDriver driver, Turn turn, Phase phase, Load.Stream reads, Load.Stream writes)
      throws InterruptedException {
    progress = turn(turn) + ": " + phase.words();
    return driver.run(Load.of(reads, writes, options.ramp(), options.time()));
  }

  private void check(TierDriver driver, Turn turn, SsdRun.Builder run) throws InterruptedException {
    progress = turn(turn) + ": comparing";
    long pages = Math.max(LEAST_CHECKED_PAGES, CHECKED_BYTES / turn.pageBytes());
    run.addUncounted(driver.run(Load.check(options.depth(), pages, CHECK_LIMIT)));
  }

  // ---- fio -------------------------------------------------------------------------------------

  private SsdRun measure(Fio fio, Turn turn) throws IOException, InterruptedException {
    Fio.Target target =
        new Fio.Target(
            options.file().toAbsolutePath(),
            options.bytes(),
            turn.pageBytes(),
            options.depth(),
            options.direct(),
            options.ramp(),
            options.time());
    int share = options.writeSharePercent();
    SsdRun.Builder run = new SsdRun.Builder();
    double half = 0;
    for (Phase phase : Phase.values()) {
      progress = turn(turn) + ": " + phase.words();
      Fio.Job job =
          switch (phase) {
            case WRITE -> new Fio.Job(Fio.Mode.WRITE, 0, 0, share);
            case READ -> new Fio.Job(Fio.Mode.RANDREAD, 0, 0, share);
            case BOTH -> new Fio.Job(Fio.Mode.RANDRW, 0, 0, share);
            case HALF_READ -> new Fio.Job(Fio.Mode.RANDREAD, half, 0, share);
            case HALF_BOTH ->
                new Fio.Job(Fio.Mode.RANDRW, half, Phase.writesBeside(half, share), share);
          };
      LoadResult result = run.add(phase, fio.run(target, job));
      if (phase == Phase.READ) {
        half = halfRate(turn.pageBytes(), result);
      }
    }
    return run.build();
  }

  // ---- progress --------------------------------------------------------------------------------

  private String turn(Turn turn) {
    return String.format(
        Locale.ROOT,
        "round %d of %d, %s, %s",
        turn.round() + 1,
        options.rounds(),
        new ByteSize(turn.pageBytes()),
        turn.subject());
  }
}
