package io.orbitkv.testkit;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.StoredKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/** Hears of a backing tier's reports and lets a test wait for them. Any thread. */
public final class RecordingBackingListener implements BackingTier.Listener {
  private static final long PATIENCE_NANOS = Duration.ofSeconds(60).toNanos();

  // Guarded by this.
  private final Map<StoredKey, Long> findable = new LinkedHashMap<>();
  private final Map<Long, List<BackingStatus>> reads = new LinkedHashMap<>();
  private final Map<Long, List<BackingStatus>> writes = new LinkedHashMap<>();
  private final List<Long> evictions = new ArrayList<>();
  private final Map<Long, BackingStatus> flushes = new LinkedHashMap<>();
  private final Map<Long, Forgotten> forgotten = new LinkedHashMap<>();
  private final List<StoredKey> lost = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();

  /** The report of a request to forget many pages. */
  public record Forgotten(BackingStatus status, long pages) {}

  /** Has heard nothing. */
  public RecordingBackingListener() {}

  @Override
  public synchronized void stored(StoredKey key, long bytes) {
    findable.put(key, bytes);
    heard();
  }

  @Override
  public synchronized void lost(StoredKey key) {
    findable.remove(key);
    lost.add(key);
    heard();
  }

  @Override
  public synchronized void readDone(long ticket, BackingStatus status) {
    reads.computeIfAbsent(ticket, _ -> new ArrayList<>()).add(status);
    heard();
  }

  @Override
  public synchronized void writeDone(long ticket, BackingStatus status) {
    writes.computeIfAbsent(ticket, _ -> new ArrayList<>()).add(status);
    heard();
  }

  @Override
  public synchronized void evicted(long ticket) {
    evictions.add(ticket);
    heard();
  }

  @Override
  public synchronized void forgotten(long ticket, BackingStatus status, long pages) {
    forgotten.put(ticket, new Forgotten(status, pages));
    heard();
  }

  @Override
  public synchronized void flushed(long ticket, BackingStatus status) {
    flushes.put(ticket, status);
    heard();
  }

  /** Pages that were told as stored and not as lost since, with their bytes. */
  public synchronized Map<StoredKey, Long> findable() {
    return new LinkedHashMap<>(findable);
  }

  /** Every page that was told as lost, in order. */
  public synchronized List<StoredKey> lost() {
    return List.copyOf(lost);
  }

  /** Every report of every read so far, by ticket. */
  public synchronized Map<Long, List<BackingStatus>> reads() {
    return new LinkedHashMap<>(reads);
  }

  /** Every report of every write so far, by ticket. */
  public synchronized Map<Long, List<BackingStatus>> writes() {
    return new LinkedHashMap<>(writes);
  }

  /** The threads that told anything. */
  public synchronized List<Thread> threads() {
    return List.copyOf(threads);
  }

  /** Waits for the report of a read and returns it. */
  public synchronized BackingStatus awaitRead(long ticket) {
    await("read [" + ticket + "]", () -> reads.containsKey(ticket));
    return reads.getOrDefault(ticket, List.of()).getFirst();
  }

  /** Waits for the report of a write and returns it. */
  public synchronized BackingStatus awaitWrite(long ticket) {
    await("write [" + ticket + "]", () -> writes.containsKey(ticket));
    return writes.getOrDefault(ticket, List.of()).getFirst();
  }

  /** Waits for the report of an eviction. */
  public synchronized void awaitEvicted(long ticket) {
    await("eviction [" + ticket + "]", () -> evictions.contains(ticket));
  }

  /** Waits for the report of a request to forget many pages and returns it. */
  public synchronized Forgotten awaitForgotten(long ticket) {
    await("request [" + ticket + "] to forget", () -> forgotten.containsKey(ticket));
    return forgotten.getOrDefault(ticket, new Forgotten(BackingStatus.UNKNOWN, 0));
  }

  /** Waits for the report of a flush and returns it. */
  public synchronized BackingStatus awaitFlushed(long ticket) {
    await("flush [" + ticket + "]", () -> flushes.containsKey(ticket));
    return flushes.getOrDefault(ticket, BackingStatus.UNKNOWN);
  }

  private void heard() {
    threads.add(Thread.currentThread());
    notifyAll();
  }

  private void await(String what, BooleanSupplier there) {
    long start = System.nanoTime();
    while (!there.getAsBoolean()) {
      long leftNanos = PATIENCE_NANOS - (System.nanoTime() - start);
      if (leftNanos <= 0) {
        throw new AssertionError("the report of " + what + " did not come");
      }
      try {
        wait(Math.max(1, leftNanos / 1_000_000));
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new AssertionError("interrupted while waiting for " + what, interrupted);
      }
    }
  }
}
