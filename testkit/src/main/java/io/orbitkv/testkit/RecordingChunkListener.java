package io.orbitkv.testkit;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Hears of touched chunks and lets a test wait for them. Any thread. */
public final class RecordingChunkListener implements MemoryTier.ChunkListener {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

  private final List<HostChunk> touched = new ArrayList<>();
  private final Map<HostChunk, Throwable> failures = new LinkedHashMap<>();
  private final List<Thread> threads = new ArrayList<>();

  /** Has heard nothing. */
  public RecordingChunkListener() {}

  @Override
  public synchronized void touched(HostChunk chunk) {
    touched.add(chunk);
    threads.add(Thread.currentThread());
    notifyAll();
  }

  @Override
  public synchronized void failed(HostChunk chunk, Throwable cause) {
    failures.put(chunk, cause);
    threads.add(Thread.currentThread());
    notifyAll();
  }

  /**
   * Waits until so many chunks were announced, touched or failed.
   *
   * @throws AssertionError after a minute
   */
  public synchronized void await(int chunks) {
    long start = System.nanoTime();
    while (touched.size() + failures.size() < chunks) {
      long leftNanos = PATIENCE_NANOS - (System.nanoTime() - start);
      if (leftNanos <= 0) {
        throw new AssertionError(
            "of [" + chunks + "] chunks only " + touched + " and " + failures + " were announced");
      }
      try {
        wait(Math.max(1, leftNanos / 1_000_000));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for chunks", interrupted);
      }
    }
  }

  /** The touched chunks in order of announcement. */
  public synchronized List<HostChunk> touched() {
    return List.copyOf(touched);
  }

  /** The chunks that could not be touched, with the reasons. */
  public synchronized Map<HostChunk, Throwable> failures() {
    return Map.copyOf(failures);
  }

  /** The threads that announced, once a chunk. */
  public synchronized List<Thread> threads() {
    return List.copyOf(threads);
  }
}
