package io.orbitkv.manager.dispatch;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How much of the pool can be allocated from, while later chunks are still being touched and
 * registered. Any thread.
 */
public final class PoolProgress {
  private static final Logger log = LoggerFactory.getLogger(PoolProgress.class);
  private static final int REPORT_STEP_PERCENT = 25;

  private final long capacityBytes;
  private final @Nullable PoolProgress whole;
  private final AtomicLong readyBytes = new AtomicLong();
  private final AtomicInteger failedChunks = new AtomicInteger();
  private final CountDownLatch first = new CountDownLatch(1);

  /** Starts at nothing of {@code capacityBytes}. */
  public PoolProgress(long capacityBytes) {
    this(capacityBytes, null);
  }

  /**
   * Starts at nothing of a part of a pool.
   *
   * @param whole hears of everything too, and is what the log tells of; null: this is the whole
   */
  public PoolProgress(long capacityBytes, @Nullable PoolProgress whole) {
    this.capacityBytes = capacityBytes;
    this.whole = whole;
  }

  /** A chunk is touched and registered. */
  public void ready(long bytes) {
    long after = readyBytes.addAndGet(bytes);
    first.countDown();
    if (whole != null) {
      whole.ready(bytes);
      return;
    }
    int step = percent(after) / REPORT_STEP_PERCENT;
    if (step > percent(after - bytes) / REPORT_STEP_PERCENT) {
      log.info("pool ready [{}] %", step * REPORT_STEP_PERCENT);
    }
  }

  /** A chunk will never be ready. */
  public void failed() {
    failedChunks.incrementAndGet();
    first.countDown();
    if (whole != null) {
      whole.failed();
    }
  }

  /**
   * Waits until the first chunk is ready, or failed.
   *
   * @return false when {@code patience} ran out before
   */
  public boolean awaitFirst(Duration patience) throws InterruptedException {
    return first.await(patience.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** Bytes that are ready. */
  public long readyBytes() {
    return readyBytes.get();
  }

  /** Whole percents of the pool that are ready. */
  public int readyPercent() {
    return percent(readyBytes.get());
  }

  /** Chunks that could not be touched or registered. */
  public int failedChunks() {
    return failedChunks.get();
  }

  private int percent(long bytes) {
    return (int) (bytes * 100 / capacityBytes);
  }
}
