package io.orbitkv.testkit;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Hears of terminal reports and lets a test wait for them. Any thread. */
public final class RecordingCopyListener implements DeviceCopier.CopyListener {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

  private final List<Report> reports = new ArrayList<>();

  /** Has heard nothing. */
  public RecordingCopyListener() {}

  /** One terminal report. */
  public record Report(CopyPlan plan, CopyOutcome outcome, Thread thread) {}

  @Override
  public synchronized void completed(CopyPlan plan, CopyOutcome outcome) {
    reports.add(new Report(plan, outcome, Thread.currentThread()));
    notifyAll();
  }

  /** The reports so far, in order. */
  public synchronized List<Report> reports() {
    return List.copyOf(reports);
  }

  /**
   * Waits for so many reports.
   *
   * @return all reports so far, in order
   * @throws AssertionError after a minute
   */
  public synchronized List<Report> await(int number) {
    long start = System.nanoTime();
    while (reports.size() < number) {
      long leftNanos = PATIENCE_NANOS - (System.nanoTime() - start);
      if (leftNanos <= 0) {
        throw new AssertionError("of [" + number + "] reports only " + reports + " came");
      }
      try {
        wait(Math.max(1, leftNanos / 1_000_000));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for reports", interrupted);
      }
    }
    return List.copyOf(reports);
  }
}
