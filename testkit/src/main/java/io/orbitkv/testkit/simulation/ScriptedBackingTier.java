package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingWrite;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real backing tier behind a {@link BackingScript}: it is given one read and one write at a time,
 * each after the script was asked, so that what is under way can be held up and counted. Reads and
 * writes have a thread each. What the script fails never reaches the tier.
 */
public final class ScriptedBackingTier extends ForwardingBackingTier {
  private static final long RETRY_NANOS = 200_000;

  private final BackingScript script;
  private final ThreadFactory factory;
  private final BlockingQueue<Work> reads = new LinkedBlockingQueue<>();
  private final BlockingQueue<Work> writes = new LinkedBlockingQueue<>();
  private final Map<Long, CompletableFuture<BackingStatus>> reading = new HashMap<>();
  private final Map<Long, CompletableFuture<BackingStatus>> writing = new HashMap<>();
  private final List<Thread> threads = new ArrayList<>();

  private sealed interface Work {
    record Read(BackingRead read) implements Work {}

    record Write(BackingWrite write) implements Work {}

    record End() implements Work {}
  }

  /**
   * @param tier that does the work; closed with this one
   * @param script asked before each operation
   * @param factory of the threads
   */
  public ScriptedBackingTier(BackingTier tier, BackingScript script, ThreadFactory factory) {
    super(tier);
    this.script = script;
    this.factory = factory;
  }

  @Override
  public void start(Listener listener) {
    tier().start(new Passing(listener));
    threads.add(factory.newThread(() -> run(reads, listener)));
    threads.add(factory.newThread(() -> run(writes, listener)));
    threads.forEach(Thread::start);
  }

  @Override
  public int read(List<BackingRead> offered) {
    offered.forEach(read -> reads.add(new Work.Read(read)));
    return offered.size();
  }

  @Override
  public int write(List<BackingWrite> offered) {
    offered.forEach(write -> writes.add(new Work.Write(write)));
    return offered.size();
  }

  @Override
  public void close() {
    reads.add(new Work.End());
    writes.add(new Work.End());
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
    tier().close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- inside ----------------------------------------------------------------------------------

  private void run(BlockingQueue<Work> queue, Listener listener) {
    try {
      boolean more = true;
      while (more) {
        switch (queue.take()) {
          case Work.Read(BackingRead read) -> listener.readDone(read.ticket(), outcome(read));
          case Work.Write(BackingWrite write) -> listener.writeDone(write.ticket(), outcome(write));
          case Work.End _ -> more = false;
        }
      }
    } catch (InterruptedException ended) {
      Thread.currentThread().interrupt();
    }
  }

  private BackingStatus outcome(BackingRead read) throws InterruptedException {
    BackingStatus planned = script.read(read);
    if (planned != BackingStatus.DONE) {
      return planned;
    }
    CompletableFuture<BackingStatus> end = expect(reading, read.ticket());
    while (tier().read(List.of(read)) == 0) {
      LockSupport.parkNanos(this, RETRY_NANOS);
    }
    return await(end);
  }

  private BackingStatus outcome(BackingWrite write) throws InterruptedException {
    BackingStatus planned = script.write(write);
    if (planned != BackingStatus.DONE) {
      return planned;
    }
    CompletableFuture<BackingStatus> end = expect(writing, write.ticket());
    while (tier().write(List.of(write)) == 0) {
      LockSupport.parkNanos(this, RETRY_NANOS);
    }
    return await(end);
  }

  private static CompletableFuture<BackingStatus> expect(
      Map<Long, CompletableFuture<BackingStatus>> under, long ticket) {
    CompletableFuture<BackingStatus> end = new CompletableFuture<>();
    synchronized (under) {
      under.put(ticket, end);
    }
    return end;
  }

  private static BackingStatus await(CompletableFuture<BackingStatus> end)
      throws InterruptedException {
    try {
      return end.get();
    } catch (ExecutionException impossible) {
      throw new IllegalStateException("a report cannot fail", impossible);
    }
  }

  private static void end(
      Map<Long, CompletableFuture<BackingStatus>> under, long ticket, BackingStatus status) {
    @Nullable CompletableFuture<BackingStatus> end;
    synchronized (under) {
      end = under.remove(ticket);
    }
    if (end == null) {
      throw new IllegalStateException("the tier reports [" + ticket + "], which is not under way");
    }
    end.complete(status);
  }

  /** Passes on what the tier tells, but for the ends that a thread waits for. */
  private final class Passing extends ForwardingListener {
    Passing(Listener listener) {
      super(listener);
    }

    @Override
    public void readDone(long ticket, BackingStatus status) {
      end(reading, ticket, status);
    }

    @Override
    public void writeDone(long ticket, BackingStatus status) {
      end(writing, ticket, status);
    }
  }
}
