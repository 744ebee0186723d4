package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.bench.WireBench;
import io.orbitkv.workload.bench.WireBenchResult;
import io.orbitkv.workload.process.ManagerStartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

/** Runs benchmarks with a Manager of their own. */
final class Benchmarks {
  private Benchmarks() {}

  static int wire(int pages, int warmup, int rounds, boolean json, PrintWriter out)
      throws IOException, InterruptedException, ManagerStartException {
    try {
      WireBench.requireValid(pages, warmup, rounds);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    String poolSize = new ByteSize(WireBench.poolBytes(pages)).toString();
    try (Interruption interruption = new Interruption(out)) {
      WireBenchResult result =
          ReplayRunner.withManager(
              List.of("--pool-size", poolSize),
              manager -> {
                Thread running = Thread.currentThread();
                interruption.stopWith(running::interrupt);
                return new WireBench(manager.socket(), pages, warmup, rounds).run();
              });
      out.print(json ? result.json() + "\n" : result.table());
      return 0;
    }
  }
}
