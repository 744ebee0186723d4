package io.orbitkv.manager.environment;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines in the order in which they came, on a daemon thread of its own. A reader that stalls
 * (a pipe that nobody empties) holds up that thread alone: what no longer fits into the queue is
 * counted and told of as soon as lines can be written again.
 */
final class LogWriter {
  private final Supplier<PrintStream> stream;
  private final int capacity;
  private final BlockingQueue<Entry> queue;
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong droppedBefore = new AtomicLong();
  private final Thread thread;

  /**
   * What waits.
   *
   * @param text with the end of its line
   * @param written told once the text is out; null when nobody waits for it
   */
  private record Entry(String text, @Nullable CountDownLatch written) {}

  /**
   * Starts the thread.
   *
   * @param stream asked anew for each line
   * @param capacity lines that may wait
   */
  LogWriter(Supplier<PrintStream> stream, int capacity) {
    this.stream = stream;
    this.capacity = capacity;
    this.queue = new ArrayBlockingQueue<>(capacity);
    this.thread = Thread.ofPlatform().name("orbitkv-log").daemon(true).start(this::run);
  }

  /** Any thread; never waits for the stream. Drops the text when too many wait. */
  void write(String text) {
    if (!queue.offer(new Entry(text, null))) {
      dropped.incrementAndGet();
    }
  }

  /** Any thread. Counts a line that could not be made. */
  void drop() {
    dropped.incrementAndGet();
  }

  /** Any thread. Everything that was dropped, whether it was told of or not. */
  long droppedLines() {
    return droppedBefore.get() + dropped.get();
  }

  /**
   * Any thread. Waits until everything before is out, at most for {@code patience}.
   *
   * @return whether it is
   */
  boolean flush(Duration patience) {
    long start = System.nanoTime();
    CountDownLatch written = new CountDownLatch(1);
    try {
      return queue.offer(new Entry("", written), patience.toNanos(), TimeUnit.NANOSECONDS)
          && written.await(patience.toNanos() - (System.nanoTime() - start), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Any thread. Lets the thread end; what still waits is lost. */
  void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        write(queue.take());
      }
    } catch (InterruptedException closed) {
      Thread.currentThread().interrupt();
    }
  }

  private void write(Entry entry) {
    CountDownLatch written = entry.written();
    try {
      PrintStream out = stream.get();
      out.print(entry.text());
      tellDropped(out);
      if (written != null) {
        out.flush();
      }
    } catch (RuntimeException | Error failed) {
      // There is no other place to tell it; the next line may get through.
      dropped.incrementAndGet();
    } finally {
      if (written != null) {
        written.countDown();
      }
    }
  }

  // Not after each line while the reader is too slow for all of them.
  private void tellDropped(PrintStream out) {
    if (dropped.get() >= capacity || queue.isEmpty()) {
      long lines = dropped.getAndSet(0);
      droppedBefore.addAndGet(lines);
      if (lines > 0) {
        out.print("[" + lines + "] lines of the log were dropped: stderr was not read in time\n");
      }
    }
  }
}
