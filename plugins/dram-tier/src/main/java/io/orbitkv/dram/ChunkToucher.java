package io.orbitkv.dram;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier.ChunkListener;
import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.plugin.PluginContext;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Touches chunks on threads of its own, all threads together one chunk after another in the given
 * order, so that the first is there soon, and announces each chunk when it is present. The last
 * thread to end runs a closing action.
 */
final class ChunkToucher {
  /** Bytes made present by one call, so that a stop waits for no more than that. */
  private static final long STEP_BYTES = 64L << 20;

  private final List<Part> parts;
  private final PageMemory memory;
  private final Consumer<HostChunk> touched;
  private final Runnable atEnd;
  private final System.Logger log;
  private final LongSupplier nanoClock;
  private final Meters.Timer duration;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicInteger running = new AtomicInteger();
  private volatile boolean stopped;

  /**
   * @param order the chunks, first to be touched first
   * @param touched told of a touched chunk before the listener is
   * @param atEnd run by the last thread after every chunk was announced; not after a stop
   */
  ChunkToucher(
      List<HostChunk> order,
      PageMemory memory,
      PluginContext context,
      Consumer<HostChunk> touched,
      Runnable atEnd) {
    this.memory = memory;
    this.touched = touched;
    this.atEnd = atEnd;
    this.log = context.log();
    this.nanoClock = context.nanoClock();
    this.duration = context.meters().timer("touch_duration", "Time to touch one chunk");
    parts = order.stream().map(Part::new).toList();
  }

  /** Starts the threads; once. */
  void start(int wanted, PluginContext context, ChunkListener listener) {
    long steps = parts.stream().mapToLong(part -> part.stepsLeft.get()).sum();
    int number = (int) Math.min(wanted, steps);
    running.set(number);
    for (int i = 0; i < number; i++) {
      threads.add(context.threads().newThread(() -> run(listener)));
    }
    threads.forEach(Thread::start);
  }

  /** Ends the threads and waits for them; chunks that were not announced never will be. */
  void stop() {
    stopped = true;
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException again) {
          // The memory must not go while a thread writes to it: wait on, and tell the caller after.
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(ChunkListener listener) {
    for (Part part : parts) {
      for (long offset = part.takeStep(); offset >= 0 && !stopped; offset = part.takeStep()) {
        touch(part, offset, listener);
      }
    }
    if (running.decrementAndGet() == 0 && !stopped) {
      atEnd.run();
    }
  }

  private void touch(Part part, long offset, ChunkListener listener) {
    HostChunk chunk = part.chunk;
    if (part.failure.get() == null) {
      try {
        memory.populate(chunk.address() + offset, Math.min(STEP_BYTES, chunk.bytes() - offset));
      } catch (IllegalStateException | InternalError refused) {
        part.failure.compareAndSet(null, refused);
      }
    }
    if (part.stepsLeft.decrementAndGet() == 0) {
      ended(part, listener);
    }
  }

  /** The thread of the last step. */
  private void ended(Part part, ChunkListener listener) {
    HostChunk chunk = part.chunk;
    Throwable refused = part.failure.get();
    if (refused != null) {
      log.log(
          Level.WARNING,
          "chunk [{0}] on node [{1}] stays unused: {2}",
          chunk.index(),
          chunk.numaNode(),
          refused.getMessage());
      announce(() -> listener.failed(chunk, refused), chunk);
      return;
    }
    duration.record(nanoClock.getAsLong() - part.startNanos.get());
    touched.accept(chunk);
    announce(() -> listener.touched(chunk), chunk);
  }

  /** A chunk and how far it is. */
  private final class Part {
    private final HostChunk chunk;
    private final AtomicLong nextOffset = new AtomicLong();
    private final AtomicLong startNanos = new AtomicLong();
    private final AtomicLong stepsLeft;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();

    private Part(HostChunk chunk) {
      this.chunk = chunk;
      stepsLeft = new AtomicLong(Math.ceilDiv(chunk.bytes(), STEP_BYTES));
    }

    /** Offset of the next step that nobody took, or -1. */
    private long takeStep() {
      long offset = nextOffset.getAndAdd(STEP_BYTES);
      if (offset == 0) {
        startNanos.set(nanoClock.getAsLong());
      }
      return offset < chunk.bytes() ? offset : -1;
    }
  }

  /** A listener that throws costs its own chunk, not those that the thread has still to touch. */
  private void announce(Runnable announcement, HostChunk chunk) {
    try {
      announcement.run();
    } catch (RuntimeException fault) {
      log.log(Level.ERROR, "the listener of chunk [" + chunk.index() + "] threw", fault);
    }
  }
}
