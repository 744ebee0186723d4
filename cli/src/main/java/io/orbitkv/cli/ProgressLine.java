package io.orbitkv.cli;

import io.orbitkv.workload.replay.ReplayProgress;
import java.io.Console;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A line on the terminal that shows how far a long run is, redrawn a few times a second by a thread
 * of its own.
 */
final class ProgressLine implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofMillis(200);
  private static final int BAR_WIDTH = 24;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String CLEAR = "\r\u001b[K";

  private final CountDownLatch ended = new CountDownLatch(1);
  private final PrintWriter err;
  private final Supplier<String> text;
  private final Thread thread;

  private ProgressLine(PrintWriter err, Supplier<String> text) {
    this.err = err;
    this.text = text;
    this.thread = Thread.ofPlatform().name("orbitkv-progress").daemon().unstarted(this::draw);
  }

  /**
   * Draws until it is closed.
   *
   * @param total requests in all, or 0 when unknown
   */
  static ProgressLine start(PrintWriter err, long total, Supplier<ReplayProgress> progress) {
    return start(err, () -> text(progress.get(), total));
  }

  /** Draws whatever the text is at that moment until it is closed. */
  static ProgressLine start(PrintWriter err, Supplier<String> text) {
    ProgressLine line = new ProgressLine(err, text);
    line.thread.start();
    return line;
  }

  /** Whether somebody can see it. */
  static boolean possible() {
    return Optional.ofNullable(System.console()).filter(Console::isTerminal).isPresent();
  }

  /** Clears the line. */
  @Override
  public void close() {
    ended.countDown();
    try {
      thread.join();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
    err.print(CLEAR);
    err.flush();
  }

  private void draw() {
    try {
      while (!ended.await(INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
        err.print(CLEAR + text.get());
        err.flush();
      }
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  static String text(ReplayProgress now, long total) {
    double seconds = now.elapsedNanos() / NANOS_PER_SECOND;
    double rate = seconds == 0 ? 0 : now.requests() / seconds;
    String counts =
        String.format(
            Locale.ROOT,
            "%,d requests, %.1f %% restored, %.2f GB/s",
            now.requests(),
            now.pages() == 0 ? 0 : 100.0 * now.servedPages() / now.pages(),
            now.elapsedNanos() == 0 ? 0 : (double) now.movedBytes() / now.elapsedNanos());
    if (total <= 0) {
      return counts;
    }
    int done = Math.clamp(BAR_WIDTH * now.requests() / total, 0, BAR_WIDTH);
    String left =
        rate == 0
            ? ""
            : String.format(
                Locale.ROOT, ", %.0f s left", Math.max(0, total - now.requests()) / rate);
    return "[" + "#".repeat(done) + ".".repeat(BAR_WIDTH - done) + "] " + counts + left;
  }
}
