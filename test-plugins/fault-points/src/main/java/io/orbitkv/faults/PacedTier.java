package io.orbitkv.faults;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.testkit.simulation.ForwardingBackingTier;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A backing tier whose reads take as long as a device of a given bandwidth would: each is reported
 * when the bytes of all before it and its own have had their time. So a slowdown can be planted
 * that is the same on every machine, as long as the device below is faster.
 */
final class PacedTier extends ForwardingBackingTier {
  private static final double NANOS_PER_SECOND = 1e9;

  private final double bytesPerSecond;
  private final Map<Long, Long> bytes = new ConcurrentHashMap<>();
  private final LinkedBlockingQueue<Report> reports = new LinkedBlockingQueue<>();
  private final ThreadFactory threads;
  // The boot thread starts and closes the tier.
  private @Nullable Thread thread;
  // Guarded by this.
  private long freeNanos = System.nanoTime();

  /** The report of a read. */
  private record Report(long ticket, BackingStatus status, long dueNanos) {}

  PacedTier(BackingTier tier, long bytesPerSecond, ThreadFactory threads) {
    super(tier);
    this.bytesPerSecond = bytesPerSecond;
    this.threads = threads;
  }

  @Override
  public void start(Listener listener) {
    Thread reporter = threads.newThread(() -> run(listener));
    thread = reporter;
    reporter.start();
    tier().start(new Paced(listener));
  }

  @Override
  public int read(List<BackingRead> reads) {
    for (BackingRead read : reads) {
      long sum = 0;
      for (HostRun run : read.runs()) {
        sum += run.payloadBytes();
      }
      bytes.put(read.ticket(), sum);
    }
    return tier().read(reads);
  }

  private synchronized void done(long ticket, BackingStatus status) {
    Long size = bytes.remove(ticket);
    long start = Math.max(freeNanos, System.nanoTime());
    freeNanos = start + (long) ((size == null ? 0 : size) / bytesPerSecond * NANOS_PER_SECOND);
    reports.add(new Report(ticket, status, freeNanos));
  }

  private void run(Listener listener) {
    try {
      while (true) {
        Report report = reports.take();
        long left = report.dueNanos() - System.nanoTime();
        while (left > 0) {
          TimeUnit.NANOSECONDS.sleep(left);
          left = report.dueNanos() - System.nanoTime();
        }
        listener.readDone(report.ticket(), report.status());
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    try {
      tier().close();
    } finally {
      Thread reporter = thread;
      if (reporter != null) {
        reporter.interrupt();
        join(reporter);
      }
    }
  }

  private static void join(Thread reporter) {
    try {
      reporter.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads wait for their time. */
  private final class Paced extends ForwardingListener {
    Paced(Listener listener) {
      super(listener);
    }

    @Override
    public void readDone(long ticket, BackingStatus status) {
      done(ticket, status);
    }
  }
}
