package io.orbitkv.workload.ssd;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.workload.process.ManagerProcess;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.process.OwnChild;
import io.orbitkv.workload.report.Medians;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Measures how long a store with many small pages takes to open: after a clean stop and after a
 * kill, as a tier alone in a fresh process and as a whole Manager, from the start of its process
 * until it takes connections and knows the pages.
 *
 * <p>{@link #run} on one thread; {@link #progress} on any.
 */
public final class StartupBench {
  private static final double NANOS_A_SECOND = 1e9;
  private static final long MEBIBYTE = 1L << 20;

  /** On the device: a header block and one of payload. */
  private static final long RECORD_BYTES = 2L * PageBytes.BLOCK_BYTES;

  /**
   * Largest segment: some are open or kept in reserve, and each kill ends one early. Without room
   * for them the store would give up pages for new ones, as it should, and these would be missed.
   */
  private static final long SEGMENT_BYTES = 256L << 20;

  private static final int SPARE_SEGMENTS = 8;

  /** Small stores have smaller segments: here each holds all pages. */
  private static final int LEAST_SEGMENTS = 16;

  private static final long LEAST_SEGMENT_BYTES = 16L << 20;

  /** Pages that are written before each further kill. */
  private static final long PAGES_BEFORE_A_KILL = 1_000;

  /** Of a Manager's own memory tier, which has nothing to do here. */
  private static final String POOL_SIZE = "256mb";

  private final Options options;
  private final Children children;
  private volatile String progress = "";

  /**
   * What is measured.
   *
   * @param file made for it, or one that may be overwritten
   * @param bytes of the file
   * @param pages stored
   * @param rounds of each kind of start
   * @param overwrite whether a file that is there may be overwritten
   * @param keep whether the file stays
   */
  public record Options(
      Path file, long bytes, int pages, int rounds, boolean overwrite, boolean keep) {
    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException naming the value that does not fit
     */
    public Options {
      if (pages < 1) {
        throw new IllegalArgumentException("--startup [" + pages + "] must be positive");
      }
      if (rounds < 1) {
        throw new IllegalArgumentException("--rounds [" + rounds + "] must be positive");
      }
      if (bytes < bytesFor(pages, rounds)) {
        throw new IllegalArgumentException(
            "--size ["
                + bytes
                + "] does not hold "
                + pages
                + " pages: at least "
                + new ByteSize(bytesFor(pages, rounds))
                + " are needed");
      }
    }
  }

  /** Starts processes that run {@link StartupChild}. */
  @FunctionalInterface
  public interface Children {
    /** A process that writes pages with numbers of a range. */
    OwnChild start(long from, long to) throws IOException;
  }

  /** A benchmark that has not begun. */
  public StartupBench(Options options, Children children) {
    this.options = options;
    this.children = children;
  }

  /** Size of a file that holds so many pages over so many rounds with room to spare. */
  public static long bytesFor(int pages, int rounds) {
    long records = pages * RECORD_BYTES * 21 / 20;
    long bytes =
        Math.min(
            records + (SPARE_SEGMENTS + rounds) * SEGMENT_BYTES,
            LEAST_SEGMENTS * Math.max(records, LEAST_SEGMENT_BYTES));
    return Math.ceilDiv(bytes, MEBIBYTE) * MEBIBYTE;
  }

  /** What it is at; empty before. */
  public String progress() {
    return progress;
  }

  /**
   * Measures everything.
   *
   * @throws IllegalArgumentException when the file cannot be used, with what to do
   */
  public StartupResult run() throws IOException, InterruptedException, ManagerStartException {
    try (BenchFile file =
        BenchFile.of(options.file(), options.bytes(), options.overwrite(), options.keep())) {
      file.forgetStore();
      long next = options.pages();
      progress = "writing " + next + " pages";
      double fillSeconds;
      try (OwnChild child = children.start(0, next)) {
        JsonNode _ = told(child);
        JsonNode filled = told(child);
        requireStored(filled, next);
        fillSeconds = filled.path("fill_seconds").asDouble();
        child.kill();
      }
      List<Start> killed = new ArrayList<>();
      for (int round = 0; round < options.rounds(); round++) {
        progress = progress("start after a kill", round);
        try (OwnChild child = children.start(next, next + PAGES_BEFORE_A_KILL)) {
          killed.add(start(told(child), next));
          requireStored(told(child), PAGES_BEFORE_A_KILL);
          next += PAGES_BEFORE_A_KILL;
          child.kill();
        }
      }
      List<Start> killedManagers = managers("start of a Manager after a kill", next, true);
      List<Start> clean = new ArrayList<>();
      for (int round = 0; round <= options.rounds(); round++) {
        progress = progress("start after a clean stop", round);
        try (OwnChild child = children.start(next, next)) {
          Start start = start(told(child), next);
          child.finish();
          if (round > 0) {
            // The first one opens what was killed.
            clean.add(start);
          }
        }
      }
      List<Start> cleanManagers = managers("start of a Manager after a clean stop", next, false);
      return new StartupResult(
          options, next, fillSeconds, clean, killed, cleanManagers, killedManagers);
    }
  }

  /**
   * One start.
   *
   * @param seconds that it took
   * @param processorSeconds that the processors spent on it; 0 when it is not known
   * @param pages that were known then
   * @param expected as many as had been stored before
   */
  public record Start(double seconds, double processorSeconds, long pages, long expected) {
    static double median(List<Start> starts) {
      return starts.isEmpty()
          ? 0
          : Medians.of(starts.stream().mapToDouble(Start::seconds).toArray());
    }
  }

  private List<Start> managers(String what, long expected, boolean kill)
      throws IOException, InterruptedException, ManagerStartException {
    List<Start> starts = new ArrayList<>();
    for (int round = 0; round < options.rounds(); round++) {
      progress = progress(what, round);
      long begin = System.nanoTime();
      try (ManagerProcess manager = ManagerProcess.start(serveOptions())) {
        long pages = storedPages(manager);
        starts.add(new Start((System.nanoTime() - begin) / NANOS_A_SECOND, 0, pages, expected));
        if (kill) {
          manager.kill();
        } else {
          int _ = manager.stop();
        }
      }
    }
    return starts;
  }

  private List<String> serveOptions() {
    return List.of(
        "--pool-size",
        POOL_SIZE,
        "--ssd-cache-path",
        options.file().toAbsolutePath().toString(),
        "--ssd-cache-capacity",
        new ByteSize(options.bytes()).toString());
  }

  private static long storedPages(ManagerProcess manager) throws IOException, InterruptedException {
    try (OrbitKvClient client =
        OrbitKvClient.connect(manager.socket(), ClientOptions.defaults("orbitkv-bench"))) {
      return JsonMapper.shared().readTree(client.status()).path("stored_pages").asLong();
    }
  }

  private static JsonNode told(OwnChild child) throws IOException, InterruptedException {
    return JsonMapper.shared().readTree(child.line());
  }

  private static Start start(JsonNode line, long expected) {
    return new Start(
        line.path("start_seconds").asDouble(),
        line.path("processor_seconds").asDouble(),
        line.path("pages").asLong(),
        expected);
  }

  private static void requireStored(JsonNode line, long pages) {
    if (line.path("written_pages").asLong() != pages) {
      throw new IllegalStateException(
          "of ["
              + pages
              + "] pages ["
              + line.path("pages").asLong()
              + "] are stored, failures "
              + line.path("failures").asString("")
              + ": raise --size");
    }
  }

  private String progress(String what, int round) {
    return String.format(Locale.ROOT, "%s, %d of %d", what, round + 1, options.rounds());
  }
}
