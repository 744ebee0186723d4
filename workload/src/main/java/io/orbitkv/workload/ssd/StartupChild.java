package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.workload.report.JsonReport;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The process of {@link StartupBench} that can be killed: opens a tier, writes pages with numbers
 * of a range, and closes the tier when its input ends. It tells each step by a line.
 */
public final class StartupChild {
  /** Small pages: what a start costs is by the page. */
  static final long PAGE_BYTES = PageBytes.BLOCK_BYTES;

  /** Many at a time, so that the tier merges them into large requests. */
  private static final int DEPTH = 1024;

  private static final Duration LIMIT = Duration.ofHours(1);
  private static final double NANOS_A_SECOND = 1e9;

  private StartupChild() {}

  /**
   * Runs to the end of the input.
   *
   * @param from first number of the pages to write
   * @param to behind the last one
   */
  public static void run(
      TierSource source,
      TierSource.Store store,
      long from,
      long to,
      InputStream input,
      PrintWriter output)
      throws IOException, InterruptedException {
    try (SlotMemory memory = new SlotMemory(2L * DEPTH * PAGE_BYTES)) {
      long begin = System.nanoTime();
      try (BackingTier tier = source.open(store, memory.chunks())) {
        TierDriver driver = new TierDriver(tier, memory, PAGE_BYTES, DEPTH, 1, from);
        long opened = System.nanoTime();
        double openedProcessor = ProcessorTime.seconds();
        driver.start();
        double seconds = (System.nanoTime() - opened) / NANOS_A_SECOND;
        double processor = ProcessorTime.seconds() - openedProcessor;
        long pages = tier.usage().pages();
        say(
            output,
            line ->
                line.field("start_seconds", seconds, 3)
                    .field("processor_seconds", processor, 3)
                    .field("pages", pages));
        if (to > from) {
          LoadResult written = driver.run(Load.fill(DEPTH, to - from, LIMIT));
          long stored = driver.residentPages();
          say(
              output,
              line ->
                  line.field("fill_seconds", written.seconds(), 3)
                      .field("written_pages", stored)
                      .field("failures", written.failures().toString()));
        }
        while (input.read() >= 0) {
          // Whoever started this has nothing to say but the end.
        }
        begin = System.nanoTime();
      }
      double stop = (System.nanoTime() - begin) / NANOS_A_SECOND;
      say(output, line -> line.field("stop_seconds", stop, 3));
    }
  }

  private static void say(PrintWriter output, Consumer<JsonReport> fields) {
    output.println(JsonReport.object(fields).lines().map(String::strip).reduce("", String::concat));
    output.flush();
  }
}
