package io.orbitkv.hostcopy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.SharedMemory;
import io.orbitkv.api.copy.HostRanges;
import io.orbitkv.api.copy.PlanCheck;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.plugin.PluginContext;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies on threads of its own. A plan is accepted into a {@link SliceQueue}, checked as a whole
 * before its first byte moves, copied slice by slice, possibly by several threads at once, and
 * reported by the thread that ends its last slice. After a failure no further slice begins, and the
 * report follows when those that had begun are done: so {@link CopyOutcome.Failed} always means
 * that nothing touches the plan any more, and {@link CopyOutcome.Unknown} is never reported.
 */
final class HostCopier implements DeviceCopier {
  private final HostRanges ranges = new HostRanges();
  private final SliceQueue queue;
  private final List<Thread> threads = new ArrayList<>();
  private final AtomicLong mappedBytes = new AtomicLong();
  private final System.Logger log;
  private final LongSupplier nanoClock;
  private final Meters.Counter publishBytes;
  private final Meters.Counter restoreBytes;
  private final Meters.Counter plans;
  private final Meters.Counter failedPlans;
  private final Meters.Timer duration;

  /** Starts the threads. */
  HostCopier(HostCopySettings settings, PluginContext context) {
    queue =
        new SliceQueue(
            settings.queuePlans(), settings.sliceBytes().bytes(), settings.foregroundSlices());
    log = context.log();
    nanoClock = context.nanoClock();
    Meters meters = context.meters();
    publishBytes = meters.counter("publish_bytes_total", "Bytes copied from workers to the host");
    restoreBytes = meters.counter("restore_bytes_total", "Bytes copied from the host to workers");
    plans = meters.counter("plans_total", "Plans reported");
    failedPlans = meters.counter("failed_plans_total", "Plans reported as failed");
    duration = meters.timer("plan_duration", "Time from a plan's acceptance to its report");
    meters.gauge("queued_plans", "Plans accepted and not reported", queue::plans);
    meters.gauge("mapped_bytes", "Bytes of workers' memory that are mapped", mappedBytes::get);
    meters.gauge("registered_bytes", "Bytes of host memory that are registered", ranges::bytes);
    for (int i = 0; i < settings.threadsToStart(); i++) {
      threads.add(context.threads().newThread(this::work));
    }
    threads.forEach(Thread::start);
  }

  @Override
  public String memoryKind() {
    return SharedMemory.KIND;
  }

  @Override
  public void registerHostMemory(HostChunk chunk) {
    ranges.add(chunk);
  }

  @Override
  public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
    if (!(descriptor instanceof SharedMemory memory)) {
      throw new IllegalArgumentException(
          "the copier [host-copy] opens memory of kind ["
              + SharedMemory.KIND
              + "], not ["
              + descriptor.kind()
              + "]: name another copier under [copiers]");
    }
    SharedMapping mapping = SharedMapping.open(this, memory, layout);
    mappedBytes.addAndGet(mapping.bytes());
    return mapping;
  }

  void unmapped(long bytes) {
    mappedBytes.addAndGet(-bytes);
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalArgumentException when the memory is not an open one of this copier: a bug of
   *     the caller, since there is nothing that a report could release
   */
  @Override
  public boolean submit(CopyPlan plan, CopyListener listener) {
    SharedMapping memory = mappingOf(plan);
    if (memory.owner() != this || !memory.plans().add()) {
      throw new IllegalArgumentException(
          "plan [" + plan.id() + "] names a memory that is closed or of another copier");
    }
    boolean accepted = false;
    try {
      accepted = queue.add(new PlanRun(plan, listener, nanoClock.getAsLong()));
      return accepted;
    } finally {
      if (!accepted) {
        memory.plans().remove();
      }
    }
  }

  @Override
  public void close() {
    queue.close();
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

  private static SharedMapping mappingOf(CopyPlan plan) {
    if (plan.memory() instanceof SharedMapping mapping) {
      return mapping;
    }
    throw new IllegalArgumentException(
        "plan [" + plan.id() + "] names a memory that the copier [host-copy] did not open");
  }

  private void work() {
    SliceCopier copier = new SliceCopier();
    for (PlanRun.Slice slice = queue.take(); slice != null; slice = queue.take()) {
      String failure;
      try {
        failure = copy(copier, slice);
      } catch (Throwable unspeakable) {
        // Not even the fault could be told, as when the heap is exhausted. The slice goes back all
        // the same: a thread that died with it would keep its plan, and what that holds, for ever.
        failure = "a copying thread failed";
      }
      if (queue.returned(slice, failure)) {
        report(slice.run());
      }
    }
  }

  /** Copies or checks; answers what went wrong, or null. */
  private @Nullable String copy(SliceCopier copier, PlanRun.Slice slice) {
    CopyPlan plan = slice.run().plan();
    SharedMapping memory = mappingOf(plan);
    try {
      if (slice.isCheck()) {
        return plan.waitEvent() == CopyPlan.NO_EVENT
            ? PlanCheck.failure(plan, memory.bytes(), ranges)
            : eventsAreUnknown(plan);
      }
      copier.copy(plan, memory, slice.from(), slice.to());
      switch (plan.direction()) {
        case DEVICE_TO_HOST -> publishBytes.add(slice.to() - slice.from());
        case HOST_TO_DEVICE -> restoreBytes.add(slice.to() - slice.from());
      }
      return null;
    } catch (Throwable fault) {
      // InternalError is how the virtual machine tells of memory that the system could not supply.
      // Whatever it is, the plan must end: this thread moves no byte of it any more.
      log.log(Level.ERROR, "plan [" + plan.id() + "] failed", fault);
      return "the copy of plan [" + plan.id() + "] failed: " + fault;
    }
  }

  private static String eventsAreUnknown(CopyPlan plan) {
    return "plan ["
        + plan.id()
        + "] waits for event ["
        + plan.waitEvent()
        + "], but memory of the host has no events: send 0 once the bytes are written";
  }

  private void report(PlanRun run) {
    CopyOutcome outcome = run.outcome();
    try {
      plans.add(1);
      if (outcome instanceof CopyOutcome.Failed) {
        failedPlans.add(1);
      }
      duration.record(nanoClock.getAsLong() - run.acceptedNanos());
    } catch (Throwable fault) {
      note("the meters of plan [" + run.plan().id() + "] threw", fault);
    }
    // Before the report: the listener may have the memory closed at once.
    mappingOf(run.plan()).plans().remove();
    try {
      run.listener().completed(run.plan(), outcome);
    } catch (Throwable fault) {
      note("the listener of plan [" + run.plan().id() + "] threw", fault);
    }
  }

  /** A fault that stops nothing: the thread has other plans to copy. */
  private void note(String what, Throwable fault) {
    try {
      log.log(Level.ERROR, what, fault);
    } catch (RuntimeException | Error untold) {
      // Nobody is left to tell.
      return;
    }
  }
}
