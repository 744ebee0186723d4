package io.orbitkv.workload.bench;

import com.sun.management.ThreadMXBean;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.workload.report.LatencyRecorder;
import io.orbitkv.workload.report.Medians;
import io.orbitkv.workload.report.Percentiles;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.Consumer;

/**
 * Measures the kernel alone, on one thread: what a query of pages in memory costs from its
 * submission to the release of its lease, at several numbers of resident pages.
 *
 * <p>The kernel is filled through its own publishes and then turned over once: every page is
 * evicted and another one takes its place, page by page over thousands of chains that grow at the
 * same time. So neither the pages of a chain nor their names lie side by side anywhere, as after
 * days of use. Half of the pages are in chains of 8, half in chains of 512, and queries ask for
 * whole chains.
 *
 * <p>Events are made beforehand, as other threads make them in a Manager; the acknowledgement and
 * the release, which name the lease, are made in between and count.
 */
public final class KernelBench {
  /** Pages of the rows when nobody says otherwise. */
  public static final List<Integer> DEFAULT_PAGES = List.of(10_000, 1_000_000, 10_000_000);

  /** Fewest pages of a row: a long chain and as many pages in short ones. */
  public static final int MIN_PAGES = 2 * PageChains.LONG;

  /** Most pages of a row. */
  public static final int MAX_PAGES = 100_000_000;

  /** What the kernel keeps of a page, its name included, and the order of publishing. */
  private static final int HEAP_BYTES_A_PAGE = 88;

  /** What it keeps of a page besides while a retention policy is asked. */
  private static final int RETENTION_BYTES_A_PAGE = 36;

  private static final long HEAP_BYTES_BESIDE = 96L << 20;

  private static final int OPEN_CHAINS = 4096;
  private static final int BATCH_PAGES = 2048;
  private static final int ROUND_PAGES = 2_000_000;
  private static final int WARM_UP_PAGES = 100_000;
  private static final int CHURN_PAGES = 1 << 17;
  private static final long SEED = 0x6f72_6269_746bL;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final double MICRO = 1e3;
  private static final double MILLI = 1e6;

  private final List<Integer> pages;
  private final int rounds;
  private final int roundPages;
  private final boolean retention;
  private final Consumer<String> progress;
  private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /**
   * A benchmark that has not begun.
   *
   * @param pages resident pages of each row
   * @param rounds of which the median is told
   * @param progress told what is being done
   */
  public KernelBench(List<Integer> pages, int rounds, Consumer<String> progress) {
    this(pages, rounds, ROUND_PAGES, false, progress);
  }

  private KernelBench(
      List<Integer> pages,
      int rounds,
      int roundPages,
      boolean retention,
      Consumer<String> progress) {
    requireValid(pages, rounds);
    this.retention = retention;
    this.pages = List.copyOf(pages);
    this.rounds = rounds;
    this.roundPages = roundPages;
    this.progress = progress;
  }

  KernelBench(List<Integer> pages, int rounds, int roundPages, Consumer<String> progress) {
    this(pages, rounds, roundPages, false, progress);
  }

  /** The same, with a retention policy that is asked after the turnover; its own work counts. */
  public KernelBench withRetention() {
    return new KernelBench(pages, rounds, roundPages, true, progress);
  }

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException naming the one that does not fit
   */
  public static void requireValid(List<Integer> pages, int rounds) {
    if (pages.isEmpty()) {
      throw new IllegalArgumentException("no number of pages is given");
    }
    for (int count : pages) {
      if (count < MIN_PAGES || count > MAX_PAGES) {
        throw new IllegalArgumentException(
            "pages [" + count + "] must be " + MIN_PAGES + " to " + MAX_PAGES);
      }
    }
    if (rounds < 1) {
      throw new IllegalArgumentException("rounds [" + rounds + "] must be positive");
    }
  }

  /** Heap that a row of so many pages needs. Nothing of note lies outside of it. */
  public static long heapBytes(int pages, boolean retention) {
    int ofPage = HEAP_BYTES_A_PAGE + (retention ? RETENTION_BYTES_A_PAGE : 0);
    return HEAP_BYTES_BESIDE + (long) ofPage * pages;
  }

  /** Runs it. */
  public KernelBenchResult run() throws InterruptedException {
    progress.accept("warming up");
    row(Math.min(WARM_UP_PAGES, pages.getFirst()));
    List<KernelBenchRow> rows = new ArrayList<>();
    for (int count : pages) {
      rows.add(row(count));
    }
    return new KernelBenchResult(rounds, retention, rows);
  }

  private KernelBenchRow row(int count) throws InterruptedException {
    PageChains chains = new PageChains(count);
    SplittableRandom random = new SplittableRandom(SEED);
    try (PauseWatch pauses = new PauseWatch()) {
      KernelRig rig = new KernelRig(chains.pages());
      say(chains, "filling");
      fill(rig, chains, random);
      say(chains, "turning over");
      double turnoverNanos = turnOver(rig, chains, random);
      requireTurnedOver(rig.status(), chains.pages());
      if (retention) {
        say(chains, "handing over");
        rig.askRetention();
      }
      say(chains, "measuring");
      Measured small = measure(rig, chains, random, PageChains.SHORT);
      Measured large = measure(rig, chains, random, PageChains.LONG);
      Percentiles steps = steps(rig, chains, random);
      double churnNanos = churn(rig, random);
      return new KernelBenchRow(
          chains.pages(),
          NANOS_PER_SECOND / small.nanos(),
          large.nanos() / PageChains.LONG,
          small.bytes(),
          large.bytes(),
          steps,
          turnoverNanos,
          churnNanos,
          pauses.stop() / MILLI);
    }
  }

  private void say(PageChains chains, String what) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("stopped");
    }
    progress.accept(String.format(Locale.ROOT, "%,d pages: %s", chains.pages(), what));
  }

  // ---- filling ---------------------------------------------------------------------------------

  private static void fill(KernelRig rig, PageChains chains, SplittableRandom random) {
    for (int chain : chains.shuffled(random)) {
      rig.publish(
          PageChains.parent(0, chain, 0), PageChains.keys(0, chain, 0, chains.length(chain)));
    }
  }

  /** Publishes another generation page by page; nanoseconds a page. */
  private static double turnOver(KernelRig rig, PageChains chains, SplittableRandom random) {
    int[] order = chains.shuffled(random);
    int open = Math.min(OPEN_CHAINS, order.length);
    int[] chain = Arrays.copyOf(order, open);
    int[] place = new int[open];
    int next = open;
    long began = System.nanoTime();
    while (open > 0) {
      int i = random.nextInt(open);
      rig.publish(
          PageChains.parent(1, chain[i], place[i]), PageChains.keys(1, chain[i], place[i], 1));
      place[i]++;
      if (place[i] == chains.length(chain[i])) {
        place[i] = 0;
        if (next < order.length) {
          chain[i] = order[next++];
        } else {
          open--;
          chain[i] = chain[open];
          place[i] = place[open];
        }
      }
    }
    return (double) (System.nanoTime() - began) / chains.pages();
  }

  private static void requireTurnedOver(KernelStatus status, int pages) {
    long evicted = status.counters().getOrDefault("evicted_pages", 0L);
    if (status.residentPages() != pages || evicted != pages) {
      throw new IllegalStateException(
          "after one turnover of ["
              + pages
              + "] pages ["
              + status.residentPages()
              + "] are resident and ["
              + evicted
              + "] were evicted");
    }
  }

  /** Publishes short chains that evict others; nanoseconds a page. */
  private static double churn(KernelRig rig, SplittableRandom random) {
    int count = CHURN_PAGES / PageChains.SHORT;
    int first = random.nextInt(count);
    long began = System.nanoTime();
    for (int chain = first; chain < first + count; chain++) {
      rig.publish(PageChains.parent(2, chain, 0), PageChains.keys(2, chain, 0, PageChains.SHORT));
    }
    return (double) (System.nanoTime() - began) / CHURN_PAGES;
  }

  // ---- measuring -------------------------------------------------------------------------------

  /**
   * Medians over the rounds.
   *
   * @param nanos an operation
   * @param bytes allocated on the heap by an operation
   */
  private record Measured(double nanos, double bytes) {}

  private Measured measure(
      KernelRig rig, PageChains chains, SplittableRandom random, int queryPages) {
    int batches = Math.max(1, roundPages / BATCH_PAGES);
    Event.Submit[] batch = new Event.Submit[BATCH_PAGES / queryPages];
    double[] nanos = new double[rounds];
    double[] bytes = new double[rounds];
    // The first round is thrown away.
    for (int round = -1; round < rounds; round++) {
      long spent = 0;
      long allocated = 0;
      for (int i = 0; i < batches; i++) {
        prepare(batch, rig, chains, random, queryPages);
        long allocatedBefore = threads.getCurrentThreadAllocatedBytes();
        long began = System.nanoTime();
        for (Event.Submit query : batch) {
          rig.queryAndRelease(query);
        }
        spent += System.nanoTime() - began;
        allocated += threads.getCurrentThreadAllocatedBytes() - allocatedBefore;
      }
      if (round >= 0) {
        nanos[round] = (double) spent / batches / batch.length;
        bytes[round] = (double) allocated / batches / batch.length;
      }
    }
    return new Measured(Medians.of(nanos), Medians.of(bytes));
  }

  private static void prepare(
      Event.Submit[] batch,
      KernelRig rig,
      PageChains chains,
      SplittableRandom random,
      int queryPages) {
    for (int i = 0; i < batch.length; i++) {
      int chain = queryPages == PageChains.LONG ? chains.anyLong(random) : chains.anyShort(random);
      batch[i] = rig.query(PageChains.keys(1, chain, 0, queryPages));
    }
  }

  /** Times of single steps of small queries: their submission, acknowledgement and release. */
  private Percentiles steps(KernelRig rig, PageChains chains, SplittableRandom random) {
    LatencyRecorder recorder = new LatencyRecorder();
    Event.Submit[] batch = new Event.Submit[BATCH_PAGES / PageChains.SHORT];
    for (int i = 0; i < Math.max(1, roundPages / BATCH_PAGES); i++) {
      prepare(batch, rig, chains, random, PageChains.SHORT);
      for (Event.Submit query : batch) {
        rig.queryAndRelease(query, recorder);
      }
    }
    return recorder.percentiles(MICRO);
  }
}
