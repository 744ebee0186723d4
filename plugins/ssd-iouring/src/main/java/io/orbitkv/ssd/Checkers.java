package io.orbitkv.ssd;

import io.orbitkv.api.backing.HostRun;
import io.orbitkv.ssd.store.PageCheck;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.zip.CRC32C;

/**
 * Threads that compare checksums, for all shards: some gigabytes a second each, which the owner of
 * a store must not be held up by.
 */
final class Checkers implements AutoCloseable {
  private static final long STEP_BYTES = 1L << 30;

  /** Empty: the thread that takes it ends. */
  private final BlockingQueue<Optional<Task>> tasks = new LinkedBlockingQueue<>();

  private final List<Thread> threads = new ArrayList<>();

  /** Hears of a result, on a thread of the checkers. */
  @FunctionalInterface
  interface Listener {
    /**
     * @param number of the check
     * @param good whether the payload has its checksum
     */
    void checked(long number, boolean good);
  }

  private record Task(PageCheck check, Listener listener) {}

  /**
   * Starts the threads.
   *
   * @param count how many
   */
  Checkers(int count, ThreadFactory factory) {
    for (int i = 0; i < count; i++) {
      Thread thread = factory.newThread(this::run);
      threads.add(thread);
      thread.start();
    }
  }

  /** Any thread. Compares a checksum soon; how many there are at once is the caller's to limit. */
  void submit(PageCheck check, Listener listener) {
    tasks.add(Optional.of(new Task(check, listener)));
  }

  private void run() {
    try {
      for (Optional<Task> next = tasks.take(); next.isPresent(); next = tasks.take()) {
        PageCheck check = next.get().check();
        next.get().listener().checked(check.number(), good(check));
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Any thread. Compares a checksum at once; whether the payload has it. */
  static boolean good(PageCheck check) {
    return checksum(check.runs()) == check.checksum();
  }

  @SuppressWarnings("restricted") // The runs belong to the read that is checked.
  private static int checksum(List<HostRun> runs) {
    CRC32C checksum = new CRC32C();
    for (HostRun run : runs) {
      for (long done = 0; done < run.payloadBytes(); done += STEP_BYTES) {
        long bytes = Math.min(STEP_BYTES, run.payloadBytes() - done);
        checksum.update(
            MemorySegment.ofAddress(run.address() + done).reinterpret(bytes).asByteBuffer());
      }
    }
    return (int) checksum.getValue();
  }

  /** Ends the threads once everything submitted was compared. */
  @Override
  public void close() {
    threads.forEach(thread -> tasks.add(Optional.empty()));
    for (Thread thread : threads) {
      boolean interrupted = false;
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
