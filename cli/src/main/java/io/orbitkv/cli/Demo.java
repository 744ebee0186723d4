package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.replay.Replay;
import io.orbitkv.workload.replay.ReplayOptions;
import io.orbitkv.workload.replay.ReplayResult;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.TraceGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/**
 * The demonstration. Its working set is a few times the pool, so that pages are evicted, and
 * conversations come back soon enough for most of what they need to be still there; the engine's
 * own device memory is small, so that the Manager matters.
 */
final class Demo {
  private static final int REQUESTS = 400;
  private static final int PAGE_TOKENS = 64;
  private static final int LAYERS = 4;
  private static final int CONCURRENCY = 4;
  private static final long POOL_BYTES = 256L << 20;

  /** Pages that the pool holds: what the shape of the trace is made for. */
  private static final int POOL_PAGES = 2_048;

  private static final int DEVICE_PAGES = 512;

  private Demo() {}

  static int run(long seed, boolean json, PrintWriter out, PrintWriter err)
      throws IOException, InterruptedException, ManagerStartException {
    long poolBytes = Memory.poolBytes(POOL_BYTES);
    // Smaller machines get smaller pages, not fewer of them, so that the story is the same
    // everywhere.
    int bytesPerToken = (int) (poolBytes / POOL_PAGES / PAGE_TOKENS / LAYERS * LAYERS);
    long pageBytes = (long) bytesPerToken * PAGE_TOKENS;
    GeneratorSettings settings =
        new GeneratorSettings(seed, REQUESTS, 1.0, 4.0, 20.0, 8, 1.0, 1_024, 512, 256, 0.8, 16_384);
    ReplayOptions options =
        new ReplayOptions(
            PAGE_TOKENS, bytesPerToken, LAYERS, pageBytes * DEVICE_PAGES, CONCURRENCY, 0, REQUESTS);
    PrintWriter talk = json ? err : out;
    if (!json) {
      talk.println("OrbitKV " + VersionCommand.version() + " demo");
      talk.println(
          "* Manager: a process of its own, with "
              + Quantity.bytes(poolBytes)
              + " of host memory for pages");
      talk.println(
          "* engine:  modelled, with "
              + Quantity.bytes(options.deviceBytes())
              + " of device memory in shared memory, pages of "
              + PAGE_TOKENS
              + " tokens ("
              + Quantity.bytes(pageBytes)
              + ")");
      talk.println(
          "* load:    "
              + REQUESTS
              + " requests of generated conversations, seed "
              + seed
              + "; every restored byte is compared");
      talk.println();
      talk.flush();
    }
    try (Interruption interruption = new Interruption(out);
        TraceGenerator trace = new TraceGenerator(settings)) {
      ReplayResult result =
          ReplayRunner.withManager(
              List.of("--pool-size", new ByteSize(poolBytes).toString()),
              manager -> {
                Replay replay = new Replay(options, manager.socket(), trace, seed);
                interruption.stopWith(replay::cancel);
                return ReplayRunner.run(replay, !json && ProgressLine.possible(), REQUESTS, err);
              });
      out.print(json ? result.json() + "\n" : result.table());
      int status = verdict(result, err);
      if (!json && status == 0) {
        out.println();
        out.println(
            "Every restored byte was right, nothing leaked, every budget is at zero, and the"
                + " Manager has drained and stopped.");
        out.println(
            "Next: 'orbitkv serve' runs a Manager for your engine; 'orbitkv replay --trace FILE'"
                + " plays a trace of your own.");
      }
      return status;
    }
  }

  /** The trace is made to hit and to evict: a run in which neither happens shows nothing. */
  static int verdict(ReplayResult result, PrintWriter err) {
    int status = ReplayRunner.verdict(result, err);
    if (status == 0
        && !result.partial()
        && (result.restoredPages() == 0 || result.evictedPages() == 0)) {
      err.println(
          Main.program()
              + ": the demo shows nothing: "
              + result.restoredPages()
              + " pages restored and "
              + result.evictedPages()
              + " evicted, where its trace makes both happen");
      return Errors.FAILURE;
    }
    return status;
  }
}
