package io.orbitkv.ssd.device;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What both engines share: the scheduler behind a lock, the checks of what is submitted, and the
 * way back of completions. The lock is held for bookkeeping alone, never over a call to the system,
 * so a device that stalls keeps nobody from submitting or from looking at the load.
 */
abstract class ScheduledDevice implements StoreDevice {
  private final String engine;
  private final DeviceFile file;
  private final LongSupplier nanoClock;
  private final Completions completions;
  private final System.Logger log;

  /** Guards the scheduler and what the engines keep beside it. */
  final ReentrantLock lock = new ReentrantLock();

  /** Guarded by {@link #lock}. */
  final TransferScheduler scheduler;

  private final @Nullable RequestLog requestLog;

  ScheduledDevice(
      String engine,
      DeviceFile file,
      SchedulerLimits limits,
      String requestLog,
      LongSupplier nanoClock,
      Completions completions,
      System.Logger log) {
    this.engine = engine;
    this.file = file;
    this.requestLog =
        requestLog.isEmpty() ? null : new RequestLog(Path.of(requestLog), file.path());
    this.scheduler = new TransferScheduler(limits, this.requestLog);
    this.nanoClock = nanoClock;
    this.completions = completions;
    this.log = log;
  }

  @Override
  public final Geometry geometry() {
    return file.geometry();
  }

  @Override
  public final void submit(List<Transfer> transfers) {
    Geometry geometry = file.geometry();
    transfers.forEach(transfer -> check(transfer, geometry));
    long nowNanos = nowNanos();
    lock.lock();
    try {
      if (closing()) {
        throw new IllegalStateException("the device is closed");
      }
      transfers.forEach(transfer -> scheduler.add(transfer, nowNanos));
      wakeReady(nowNanos);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void raise(Transfer transfer) {
    long nowNanos = nowNanos();
    lock.lock();
    try {
      scheduler.raise(transfer);
      wakeReady(nowNanos);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final DeviceUsage usage() {
    long nowNanos = nowNanos();
    lock.lock();
    try {
      return scheduler.usage(engine, nowNanos);
    } finally {
      lock.unlock();
    }
  }

  /** With the lock. */
  abstract boolean closing();

  /** With the lock. Makes a thread of the lane look at the scheduler, if it does not anyway. */
  abstract void wake(Lane lane);

  /** With the lock. */
  final void wakeReady(long nowNanos) {
    for (Lane lane : Lane.values()) {
      if (scheduler.ready(lane, nowNanos)) {
        wake(lane);
      }
    }
  }

  final long nowNanos() {
    return nanoClock.getAsLong();
  }

  final System.Logger log() {
    return log;
  }

  final DeviceFile file() {
    return file;
  }

  /** Without the lock. Tells the ends of transfers and empties the list. */
  final void tell(List<TransferScheduler.Ended> ended) {
    for (TransferScheduler.Ended end : ended) {
      try {
        completions.completed(end.transfer(), end.error());
      } catch (RuntimeException fault) {
        // It must not throw; if it does, the other transfers are told all the same.
        log.log(Level.ERROR, "a completion of [" + file.path() + "] was not taken", fault);
      }
    }
    ended.clear();
  }

  /** When nothing is under way any more. */
  final void writeRequestLog() {
    RequestLog written = requestLog;
    if (written == null) {
      return;
    }
    lock.lock();
    try {
      written.write();
    } catch (IOException failed) {
      log.log(Level.WARNING, "the request log of [" + file.path() + "] was not written", failed);
    } finally {
      lock.unlock();
    }
  }

  /** Waits for threads to end; an interrupt is kept for afterwards, since buffers depend on it. */
  static void join(List<Thread> threads) {
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static void check(Transfer transfer, Geometry geometry) {
    boolean sync = transfer.kind() == Transfer.Kind.SYNC;
    if (sync != transfer.spans().isEmpty()) {
      throw new IllegalArgumentException(
          "a transfer of kind ["
              + transfer.kind()
              + "] with ["
              + transfer.spans().size()
              + "] spans");
    }
    long block = geometry.blockBytes();
    boolean inside =
        transfer.offset() >= 0
            && transfer.offset() % block == 0
            && transfer.bytes() <= geometry.sizeBytes() - transfer.offset();
    if (!inside) {
      throw new IllegalArgumentException(
          "a transfer of ["
              + transfer.bytes()
              + "] bytes at ["
              + transfer.offset()
              + "] does not fit "
              + geometry);
    }
    for (Span span : transfer.spans()) {
      if (span.bytes() <= 0
          || span.bytes() % block != 0
          || span.address() % geometry.memoryAlignment() != 0) {
        throw new IllegalArgumentException(span + " does not fit " + geometry);
      }
    }
  }
}
