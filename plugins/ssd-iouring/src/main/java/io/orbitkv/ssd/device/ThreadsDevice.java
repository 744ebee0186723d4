package io.orbitkv.ssd.device;

import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.Condition;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The engine {@code threads}: each request is one blocking call on a thread of its lane. For where
 * io_uring is not permitted.
 */
final class ThreadsDevice extends ScheduledDevice {
  /** Name in usage, log and gauges. */
  static final String NAME = "threads";

  /** Most pieces of one call: IOV_MAX of Linux. */
  static final int MOST_VECTORS = 1024;

  private static final long VECTOR_BYTES = 2L * Long.BYTES;

  private final PositionalIo io;
  private final Condition readWork = lock.newCondition();
  private final Condition writeWork = lock.newCondition();
  private final List<Thread> threads = new ArrayList<>();
  private boolean closing;

  ThreadsDevice(
      DeviceFile file,
      PositionalIo io,
      DeviceSettings settings,
      ThreadFactory factory,
      LongSupplier nanoClock,
      Completions completions,
      System.Logger log) {
    super(
        NAME,
        file,
        SchedulerLimits.of(
            settings, file.geometry(), Math.max(settings.readThreads(), settings.writeThreads())),
        settings.requestLog(),
        nanoClock,
        completions,
        log);
    this.io = io;
    for (Lane lane : Lane.values()) {
      int number =
          switch (lane) {
            case READ -> settings.readThreads();
            case WRITE -> settings.writeThreads();
          };
      for (int i = 0; i < number; i++) {
        threads.add(factory.newThread(() -> run(lane)));
      }
    }
    threads.forEach(Thread::start);
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (!scheduler.idle()) {
        throw new IllegalStateException("transfers are under way");
      }
      closing = true;
      readWork.signalAll();
      writeWork.signalAll();
    } finally {
      lock.unlock();
    }
    join(threads);
    writeRequestLog();
  }

  @Override
  boolean closing() {
    return closing;
  }

  @Override
  void wake(Lane lane) {
    // One at a time: whoever takes a request wakes the next if there is more.
    conditionOf(lane).signal();
  }

  private void run(Lane lane) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment vectors = arena.allocate(MOST_VECTORS * VECTOR_BYTES, Long.BYTES);
      List<TransferScheduler.Ended> ended = new ArrayList<>();
      Request request = take(lane);
      while (request != null) {
        long result = performOrLose(request, vectors);
        finish(request, result, ended);
        tell(ended);
        request = take(lane);
      }
    }
  }

  /** The lane's next request; null when the device ends. */
  private @Nullable Request take(Lane lane) {
    Condition condition = conditionOf(lane);
    lock.lock();
    try {
      while (true) {
        long nowNanos = nowNanos();
        Request request = scheduler.next(lane, nowNanos);
        if (request != null) {
          wakeReady(nowNanos);
          return request;
        }
        if (closing) {
          return null;
        }
        long waitNanos = lane == Lane.WRITE ? scheduler.waitNanos(nowNanos) : Long.MAX_VALUE;
        if (waitNanos == Long.MAX_VALUE) {
          condition.awaitUninterruptibly();
        } else {
          awaitNanos(condition, waitNanos);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  /** A call that throws may have begun: nobody knows what became of it. */
  private long performOrLose(Request request, MemorySegment vectors) {
    try {
      return perform(request, vectors);
    } catch (RuntimeException | Error fault) {
      log().log(Level.ERROR, "a transfer of [" + file().path() + "] is lost", fault);
      return TransferScheduler.LOST;
    }
  }

  private long perform(Request request, MemorySegment vectors) {
    if (request.sync()) {
      return io.sync();
    }
    for (int i = 0; i < request.vectors(); i++) {
      vectors.set(ValueLayout.JAVA_LONG, i * VECTOR_BYTES, request.address(i));
      vectors.set(ValueLayout.JAVA_LONG, i * VECTOR_BYTES + Long.BYTES, request.length(i));
    }
    return io.transfer(request.lane(), request.offset(), vectors.address(), request.vectors());
  }

  private void finish(Request request, long result, List<TransferScheduler.Ended> ended) {
    long nowNanos = nowNanos();
    lock.lock();
    try {
      scheduler.ended(request, result, nowNanos, ended);
      wakeReady(nowNanos);
    } finally {
      lock.unlock();
    }
  }

  private Condition conditionOf(Lane lane) {
    return switch (lane) {
      case READ -> readWork;
      case WRITE -> writeWork;
    };
  }

  @SuppressWarnings("WaitNotInLoop") // The caller loops.
  private void awaitNanos(Condition condition, long waitNanos) {
    try {
      long ignored = condition.awaitNanos(waitNanos);
    } catch (InterruptedException interrupted) {
      // Swallowed: the device ends by its close alone, when nothing is under way.
      log().log(Level.DEBUG, "an interrupt of [{0}] is passed over", file().path());
    }
  }
}
