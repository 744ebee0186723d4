package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.report.Medians;
import java.io.IOException;
import java.nio.file.Path;
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
 * drifts favours none of them. With several files the tier is measured on each alone and on all
 * together.
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
  private final Map<Place, List<Double>> readRates = new HashMap<>();
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
    Path operations = options.operations();
    try (OperationLog log = operations == null ? null : new OperationLog(operations);
        BenchFiles files =
            BenchFiles.of(options.files(), options.bytes(), options.overwrite(), options.keep());
        SlotMemory memory = new SlotMemory(memoryBytes)) {
      results.disks(files.disks());
      writeOnce(files, memory);
      for (int round = 0; round < options.rounds(); round++) {
        for (long page : options.pageBytes()) {
          for (Subject subject : subjects(round, fio != null)) {
            Turn turn = new Turn(round, page, subject);
            SsdRun run =
                subject.engine().equals(FIO) && fio != null
                    ? measure(fio, turn)
                    : measure(files, memory, turn, log);
            results.add(page, subject.name(), subject.files(), run);
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
   * @param subject who
   */
  private record Turn(int round, long pageBytes, Subject subject) {}

  /**
   * Who is measured.
   *
   * @param engine of the tier, or {@link #FIO}
   * @param variant of it
   * @param files that it has
   */
  private record Subject(String engine, SsdVariant variant, List<Path> files) {
    String name() {
      return variant.name().isEmpty() ? engine : engine + " " + variant.name();
    }
  }

  /** Where one rate holds for all subjects. */
  private record Place(long pageBytes, List<Path> files) {}

  private List<Subject> subjects(int round, boolean withFio) {
    List<Subject> subjects = new ArrayList<>();
    for (String engine : options.engines()) {
      for (SsdVariant variant : options.variants()) {
        if (options.files().size() > 1) {
          options
              .files()
              .forEach(file -> subjects.add(new Subject(engine, variant, List.of(file))));
        }
        subjects.add(new Subject(engine, variant, options.files()));
      }
    }
    if (withFio) {
      subjects.add(new Subject(FIO, SsdVariant.PLAIN, options.files()));
    }
    if (round % 2 == 1) {
      Collections.reverse(subjects);
    }
    return subjects;
  }

  // ---- the tier --------------------------------------------------------------------------------

  private SsdRun measure(BenchFiles files, SlotMemory memory, Turn turn, @Nullable OperationLog log)
      throws IOException, InterruptedException {
    files.forgetStores();
    try (BackingTier tier = source.open(store(turn.subject()), memory.chunks())) {
      return measure(tier, memory, turn, log);
    }
  }

  private TierSource.Store store(Subject subject) {
    return new TierSource.Store(
        subject.files(),
        options.bytes() * subject.files().size(),
        subject.engine(),
        options.direct(),
        true,
        options.writeSharePercent(),
        subject.variant().settings());
  }

  /**
   * Writes the files in full before anything is measured: the first write of a block costs a file
   * system more than a later one.
   */
  private void writeOnce(BenchFiles files, SlotMemory memory)
      throws IOException, InterruptedException {
    progress = "writing the file once";
    files.forgetStores();
    long page = options.pageBytes().stream().min(SsdBench::closerToTheUsual).orElseThrow();
    try (BackingTier tier =
        source.open(
            store(new Subject(options.engines().getFirst(), SsdVariant.PLAIN, options.files())),
            memory.chunks())) {
      TierDriver driver = new TierDriver(tier, memory, page, options.depth(), options.seed());
      driver.start();
      LoadResult _ =
          driver.run(
              Load.fill(
                  options.depth(),
                  Math.ceilDiv(options.bytes(), page) * options.files().size(),
                  FILL_LIMIT));
    }
  }

  private static int closerToTheUsual(long left, long right) {
    return Long.compare(Math.abs(left - USUAL_PAGE_BYTES), Math.abs(right - USUAL_PAGE_BYTES));
  }

  private SsdRun measure(BackingTier tier, SlotMemory memory, Turn turn, @Nullable OperationLog log)
      throws InterruptedException {
    int depth = options.depth();
    long page = turn.pageBytes();
    TierDriver driver =
        new TierDriver(tier, memory, page, depth, options.seed() + 31L * turn.round());
    if (log != null) {
      driver.log(log);
    }
    driver.start();
    SsdRun.Builder run = new SsdRun.Builder();
    Load.Stream none = Load.Stream.NONE;
    Load.Stream most = Load.Stream.asFastAsPossible(depth);

    Measuring measuring = new Measuring(driver, turn, run, log);
    boolean full = options.loads().contains(SsdBenchRow.Load.FULL);
    if (full) {
      measuring.drive(Phase.WRITE, load(none, most));
    }
    progress = turn(turn) + ": filling";
    long missing =
        options.pagesToRead(page) * turn.subject().files().size() - driver.residentPages();
    if (missing > 0) {
      run.addUncounted(driver.run(Load.fill(depth, missing, FILL_LIMIT)));
    }
    LoadResult read = measuring.drive(Phase.READ, load(most, none));
    check(driver, turn, run);
    if (full) {
      measuring.drive(Phase.BOTH, load(most, most));
      check(driver, turn, run);
    }
    double half = halfRate(turn, read) / page;
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
    if (options.loads().contains(SsdBenchRow.Load.HALF)) {
      measuring.drive(Phase.HALF_READ, load(halfReads, none));
      measuring.drive(Phase.HALF_BOTH, load(halfReads, shareWrites));
      check(driver, turn, run);
    }
    if (options.loads().contains(SsdBenchRow.Load.HALF_DRAINED)) {
      measuring.drive(Phase.DRAINED_READ, drained(halfReads, none));
      measuring.drive(Phase.DRAINED_BOTH, drained(halfReads, shareWrites));
      check(driver, turn, run);
    }
    return run.build();
  }

  /**
   * Half the rate of reads alone in bytes a second: of the median of all subjects on the same files
   * and rounds so far, so that all are measured at one rate and no single disturbance decides it.
   */
  private double halfRate(Turn turn, LoadResult read) {
    Place place = new Place(turn.pageBytes(), turn.subject().files());
    List<Double> rates = readRates.computeIfAbsent(place, ignored -> new ArrayList<>());
    rates.add(read.reads().bytesPerSecond());
    return Medians.of(rates.stream().mapToDouble(Double::doubleValue).toArray()) / 2;
  }

  private Load load(Load.Stream reads, Load.Stream writes) {
    return Load.of(reads, writes, options.ramp(), options.time());
  }

  private Load drained(Load.Stream reads, Load.Stream writes) {
    return Load.drained(reads, writes, options.ramp(), options.time());
  }

  /** What a turn of a tier needs for each of its phases. */
  private final class Measuring {
    private final TierDriver driver;
    private final Turn turn;
    private final SsdRun.Builder run;
    private final @Nullable OperationLog log;

    Measuring(TierDriver driver, Turn turn, SsdRun.Builder run, @Nullable OperationLog log) {
      this.driver = driver;
      this.turn = turn;
      this.run = run;
      this.log = log;
    }

    LoadResult drive(Phase phase, Load load) throws InterruptedException {
      progress = turn(turn) + ": " + phase.words();
      if (log != null) {
        log.begin(turn.round() + 1, turn.subject().name(), turn.pageBytes(), phase);
      }
      LoadResult result = run.add(phase, driver.run(load));
      if (log != null) {
        log.end();
      }
      return result;
    }
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
            options.files().getFirst(),
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
      if (phase != Phase.READ && !options.loads().contains(phase.load())) {
        continue;
      }
      progress = turn(turn) + ": " + phase.words();
      double writes = Phase.writesBeside(half, share);
      Fio.Job job =
          switch (phase) {
            case WRITE -> new Fio.Job(Fio.Mode.WRITE, 0, 0, share, false);
            case READ -> new Fio.Job(Fio.Mode.RANDREAD, 0, 0, share, false);
            case BOTH -> new Fio.Job(Fio.Mode.RANDRW, 0, 0, share, false);
            case HALF_READ, DRAINED_READ -> new Fio.Job(Fio.Mode.RANDREAD, half, 0, share, false);
            case HALF_BOTH -> new Fio.Job(Fio.Mode.RANDRW, half, writes, share, true);
            case DRAINED_BOTH -> new Fio.Job(Fio.Mode.RANDRW, half, writes, share, false);
          };
      LoadResult result = run.add(phase, fio.run(target, job));
      if (phase == Phase.READ) {
        half = halfRate(turn, result);
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
        turn.subject().name()
            + (options.files().size() == 1
                ? ""
                : turn.subject().files().size() == 1
                    ? " on " + turn.subject().files().getFirst().getFileName()
                    : " on all files"));
  }
}
