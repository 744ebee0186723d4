package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.workload.bench.DeliveryBench;
import io.orbitkv.workload.bench.DeliveryBenchResult;
import io.orbitkv.workload.bench.DeliveryRun;
import io.orbitkv.workload.bench.KernelBench;
import io.orbitkv.workload.bench.KernelBenchResult;
import io.orbitkv.workload.bench.WireBench;
import io.orbitkv.workload.bench.WireBenchResult;
import io.orbitkv.workload.process.ManagerStartException;
import io.orbitkv.workload.report.Quantity;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Runs benchmarks. */
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

  static int delivery(
      int concurrent, int pages, int queries, int runs, boolean json, PrintWriter out)
      throws IOException, InterruptedException, ManagerStartException {
    try {
      DeliveryBench.requireValid(concurrent, pages, queries);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    if (runs < 1) {
      throw CommandException.usage("runs [" + runs + "] must be positive");
    }
    String poolSize = new ByteSize(DeliveryBench.poolBytes(concurrent, pages)).toString();
    try (Interruption interruption = new Interruption(out)) {
      Thread running = Thread.currentThread();
      interruption.stopWith(running::interrupt);
      List<DeliveryRun> done = new ArrayList<>();
      for (int run = 0; run < runs; run++) {
        done.add(
            ReplayRunner.withManager(
                List.of("--pool-size", poolSize),
                manager -> new DeliveryBench(manager.socket(), concurrent, pages, queries).run()));
      }
      DeliveryBenchResult result = new DeliveryBenchResult(concurrent, pages, queries, done);
      out.print(json ? result.json() + "\n" : result.table());
      return 0;
    }
  }

  static int kernel(
      List<Integer> pages,
      int rounds,
      boolean retention,
      boolean json,
      PrintWriter out,
      PrintWriter err)
      throws InterruptedException {
    try {
      KernelBench.requireValid(pages, rounds);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    int most = Collections.max(pages);
    long needed = KernelBench.heapBytes(most, retention);
    long heap = Runtime.getRuntime().maxMemory();
    if (needed > heap) {
      throw CommandException.usage(
          "--pages ["
              + most
              + "] needs a heap of "
              + Quantity.bytes(needed)
              + ", this one has "
              + Quantity.bytes(heap)
              + ": set ORBITKV_HEAP to "
              + Math.ceilDiv(needed, 1L << 30)
              + "g or ask for fewer pages");
    }
    boolean shown = !json && ProgressLine.possible();
    try (Interruption interruption = new Interruption(out)) {
      interruption.stopWith(Thread.currentThread()::interrupt);
      KernelBench bench =
          new KernelBench(
              pages,
              rounds,
              phase -> {
                if (shown) {
                  err.println(phase);
                  err.flush();
                }
              });
      KernelBenchResult result = (retention ? bench.withRetention() : bench).run();
      out.print(json ? result.json() + "\n" : result.table());
      return 0;
    }
  }
}
