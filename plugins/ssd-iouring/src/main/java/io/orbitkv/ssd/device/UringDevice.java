package io.orbitkv.ssd.device;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * The engine {@code io-uring}: a ring for reads and one for writes, each with a thread of its own.
 * A thread takes what the scheduler gives, hands it over in one call and sleeps in that same call
 * until something completes or somebody wakes it; an idle ring does nothing at all.
 *
 * <p>A ring that breaks (a call is refused, a completion belongs to no request, its thread meets a
 * fault) keeps its queues and takes no more: what was in flight ends as {@link #UNKNOWN}, what
 * waits and what comes fails.
 */
final class UringDevice extends ScheduledDevice {
  /** Name in usage, log and gauges. */
  static final String NAME = "io-uring";

  /** Makes a lane's ring, on the lane's thread. */
  interface RingFactory {
    /**
     * A ring, closed by the thread.
     *
     * @throws IOException with the refusal and the remedy
     */
    SubmissionRing create(Lane lane) throws IOException;
  }

  private final RingThread reads;
  private final RingThread writes;
  private boolean closing;

  private UringDevice(
      DeviceFile file,
      DeviceSettings settings,
      RingFactory rings,
      Devices.Environment environment,
      Completions completions) {
    super(
        NAME,
        file,
        SchedulerLimits.of(settings, file.geometry(), NativeRing.SLOTS),
        settings.requestLog(),
        environment.nanoClock(),
        completions,
        environment.log());
    reads = new RingThread(Lane.READ, rings, environment.threads());
    writes = new RingThread(Lane.WRITE, rings, environment.threads());
  }

  /**
   * Starts both rings.
   *
   * @throws IOException with what the system refused; nothing keeps running
   */
  static UringDevice start(
      DeviceFile file,
      DeviceSettings settings,
      RingFactory rings,
      Devices.Environment environment,
      Completions completions)
      throws IOException {
    UringDevice device = new UringDevice(file, settings, rings, environment, completions);
    device.reads.thread.start();
    device.writes.thread.start();
    try {
      device.reads.started.join();
      device.writes.started.join();
    } catch (CompletionException refused) {
      device.close();
      Throwable cause = Objects.requireNonNullElse(refused.getCause(), refused);
      throw new IOException(cause.getMessage(), cause);
    }
    return device;
  }

  /** Whether memory is registered with both rings. */
  boolean fixedBuffers() {
    return reads.started.join().fixedBuffers() && writes.started.join().fixedBuffers();
  }

  /** Why memory is not registered though it should be; empty otherwise. */
  String notes() {
    return reads.started.join().notes();
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (!scheduler.idle()) {
        throw new IllegalStateException("transfers are under way");
      }
      closing = true;
      reads.wakeAnyway();
      writes.wakeAnyway();
    } finally {
      lock.unlock();
    }
    join(List.of(reads.thread, writes.thread));
    writeRequestLog();
  }

  @Override
  boolean closing() {
    return closing;
  }

  @Override
  void wake(Lane lane) {
    switch (lane) {
      case READ -> reads.wake();
      case WRITE -> writes.wake();
    }
  }

  /** A lane's thread and its ring. */
  private final class RingThread {
    private final Lane lane;
    private final RingFactory rings;
    private final Thread thread;
    private final Condition work = lock.newCondition();

    /** The ring, or why there is none. */
    final CompletableFuture<SubmissionRing> started = new CompletableFuture<>();

    private final List<TransferScheduler.Ended> ended = new ArrayList<>();

    // Guarded by the lock.
    private @Nullable SubmissionRing running;
    private boolean asleep;
    private boolean broken;

    RingThread(Lane lane, RingFactory rings, ThreadFactory factory) {
      this.lane = lane;
      this.rings = rings;
      thread = factory.newThread(this::run);
    }

    /** With the lock. */
    void wake() {
      if (broken) {
        work.signal();
      } else if (asleep) {
        wakeAnyway();
      }
    }

    /** With the lock. */
    void wakeAnyway() {
      asleep = false;
      work.signal();
      if (running != null) {
        running.wake();
      }
    }

    private void run() {
      SubmissionRing ring;
      try {
        ring = rings.create(lane);
      } catch (IOException | RuntimeException | Error refused) {
        started.completeExceptionally(refused);
        return;
      }
      boolean wanted = setRunning(ring);
      started.complete(ring);
      try {
        if (wanted) {
          serve(ring);
        }
        stop();
        ring.close();
      } catch (RuntimeException | Error fault) {
        // The ring is not closed: the system may still work on it and on its memory.
        log().log(Level.ERROR, "the ring for " + lane + " of [" + file().path() + "] broke", fault);
        refuse();
      }
    }

    /** Returns whether the device has not been closed meanwhile. */
    private boolean setRunning(SubmissionRing ring) {
      lock.lock();
      try {
        running = ring;
        return !closing;
      } finally {
        lock.unlock();
      }
    }

    private void stop() {
      lock.lock();
      try {
        running = null;
      } finally {
        lock.unlock();
      }
    }

    private void serve(SubmissionRing ring) {
      ring.armWake();
      long timeoutNanos = collectAndPrepare(ring);
      while (timeoutNanos >= 0) {
        int result = ring.submitAndWait(timeoutNanos);
        if (result != SubmissionRing.OK) {
          throw new IllegalStateException("io_uring_enter: " + Errors.describe(-result));
        }
        timeoutNanos = collectAndPrepare(ring);
        tell(ended);
      }
    }

    /** Takes completions, prepares requests; how long to wait then, below zero for the end. */
    private long collectAndPrepare(SubmissionRing ring) {
      long nowNanos = nowNanos();
      lock.lock();
      try {
        boolean woken = collect(ring, nowNanos);
        if (closing) {
          // The wake that tells of the end is not armed again, so nothing is in flight after it.
          if (woken) {
            return -1;
          }
        } else if (woken) {
          ring.armWake();
        }
        Request request = ring.free() > 0 ? scheduler.next(lane, nowNanos) : null;
        while (request != null) {
          ring.prepare(request);
          request = ring.free() > 0 ? scheduler.next(lane, nowNanos) : null;
        }
        // What this lane did may free the other one; this one has taken what it may.
        asleep = false;
        wakeReady(nowNanos);
        asleep = true;
        return lane == Lane.WRITE ? scheduler.waitNanos(nowNanos) : Long.MAX_VALUE;
      } finally {
        lock.unlock();
      }
    }

    private boolean collect(SubmissionRing ring, long nowNanos) {
      boolean woken = false;
      while (ring.nextCompletion()) {
        if (ring.completedNumber() == SubmissionRing.WAKE) {
          woken = true;
          continue;
        }
        Request request = scheduler.inFlight(lane, ring.completedNumber());
        if (request == null) {
          throw new IllegalStateException(
              "a completion of [" + ring.completedNumber() + "], which is not in flight");
        }
        scheduler.ended(request, ring.completedResult(), nowNanos, ended);
        ring.release(request);
      }
      return woken;
    }

    /** Ends what is there and what comes, until the device is closed. */
    private void refuse() {
      boolean more = true;
      while (more) {
        lock.lock();
        try {
          broken = true;
          scheduler.abandon(lane, ended);
          if (ended.isEmpty()) {
            if (closing) {
              more = false;
            } else {
              work.awaitUninterruptibly();
            }
          }
        } finally {
          lock.unlock();
        }
        tell(ended);
      }
    }
  }
}
