package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.copy.StagedMemory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.WorkerLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A real copier behind barriers: a plan is accepted, waits at {@link Barriers#COPY_PUBLISH} or
 * {@link Barriers#COPY_RESTORE} on a thread of its direction, and is copied then. So the kernel
 * sees a submitted copy that takes as long as the test wants. A barrier that ends in anything but
 * {@link BackingStatus#DONE} fails the plan without a byte; {@link BackingStatus#UNKNOWN} leaves
 * its outcome unknown.
 */
public final class BarrierCopier implements DeviceCopier {
  private static final long RETRY_NANOS = 100_000;

  private final DeviceCopier copier;
  private final Barriers barriers;
  private final int stageSlots;
  private final Line publishes = new Line(Barriers.COPY_PUBLISH);
  private final Line restores = new Line(Barriers.COPY_RESTORE);
  private final List<Thread> threads = new ArrayList<>();

  /**
   * @param copier what copies; closed with this
   * @param barriers where plans wait
   * @param factory of the threads
   */
  public BarrierCopier(DeviceCopier copier, Barriers barriers, ThreadFactory factory) {
    this(copier, barriers, factory, 0);
  }

  /**
   * The same with staged plans: after {@link Barriers#COPY_RESTORE} such a plan is told to be
   * submitted, then it waits at {@link Barriers#COPY_STAGED}. Its events are made up.
   *
   * @param stageSlots of each memory; 0 for none
   */
  public BarrierCopier(
      DeviceCopier copier, Barriers barriers, ThreadFactory factory, int stageSlots) {
    this.copier = copier;
    this.barriers = barriers;
    this.stageSlots = stageSlots;
    for (Line line : List.of(publishes, restores)) {
      threads.add(factory.newThread(() -> run(line)));
    }
    threads.forEach(Thread::start);
  }

  @Override
  public String memoryKind() {
    return copier.memoryKind();
  }

  @Override
  public void registerHostMemory(HostChunk chunk) {
    copier.registerHostMemory(chunk);
  }

  @Override
  public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
    DeviceMemory memory = copier.open(descriptor, layout);
    return stageSlots == 0 ? memory : new Stages(memory, stageSlots, layout.layers().size());
  }

  @Override
  public boolean submit(CopyPlan plan, CopyListener listener) {
    switch (plan.direction()) {
      case DEVICE_TO_HOST -> publishes.add(plan, listener);
      case HOST_TO_DEVICE -> restores.add(plan, listener);
    }
    return true;
  }

  @Override
  public void close() {
    publishes.close();
    restores.close();
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
    copier.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run(Line line) {
    for (Submitted next = line.take(); next != null; next = line.take()) {
      pass(next, line.point);
    }
  }

  private void pass(Submitted submitted, String point) {
    BackingStatus end;
    try {
      end = barriers.pass(point);
    } catch (RuntimeException | AssertionError failed) {
      end = BackingStatus.DEVICE_ERROR;
    }
    CopyPlan plan = submitted.plan();
    if (end == BackingStatus.DONE && plan.isStaged()) {
      ((StageListener) submitted.listener()).submitted(plan);
      pass(submitted.unstaged(), Barriers.COPY_STAGED);
      return;
    }
    switch (end) {
      case DONE -> {
        CopyListener listener = submitted.listener();
        CopyPlan own = Stages.without(plan);
        CopyListener heard = (done, outcome) -> listener.completed(submitted.original(), outcome);
        while (!copier.submit(own, heard)) {
          LockSupport.parkNanos(this, RETRY_NANOS);
        }
      }
      case UNKNOWN ->
          submitted
              .listener()
              .completed(submitted.original(), new CopyOutcome.Unknown("planted at " + point));
      case ABSENT, CORRUPT, SHORT, FULL, DEVICE_ERROR ->
          submitted
              .listener()
              .completed(submitted.original(), new CopyOutcome.Failed("planted at " + point));
    }
  }

  /**
   * @param plan to be copied
   * @param original what was handed in
   */
  private record Submitted(CopyPlan plan, CopyPlan original, CopyListener listener) {
    Submitted unstaged() {
      return new Submitted(Stages.without(plan), original, listener);
    }
  }

  /** The copier's own memory, with slots of events that nobody records. */
  private record Stages(DeviceMemory memory, int slots, int layers) implements StagedMemory {
    /** The plan as the copier knows it. */
    static CopyPlan without(CopyPlan plan) {
      if (!(plan.memory() instanceof Stages stages)) {
        return plan;
      }
      long[] addresses = new long[plan.pages()];
      int[] devicePages = new int[plan.pages()];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = plan.hostAddress(i);
        devicePages[i] = plan.devicePage(i);
      }
      return new CopyPlan(
          plan.id(),
          stages.memory,
          plan.slot(),
          plan.direction(),
          plan.speculative(),
          plan.waitEvent(),
          addresses,
          devicePages);
    }

    @Override
    public List<List<String>> stageEvents() {
      List<List<String>> events = new ArrayList<>();
      for (int slot = 0; slot < slots; slot++) {
        List<String> ofSlot = new ArrayList<>();
        for (int layer = 0; layer < layers; layer++) {
          ofSlot.add("%0128x".formatted((long) slot * layers + layer + 1));
        }
        events.add(List.copyOf(ofSlot));
      }
      return events;
    }

    @Override
    public long maxStagedBytes() {
      return Long.MAX_VALUE;
    }

    @Override
    public void close() {
      memory.close();
    }
  }

  /** The plans of one direction, in order. */
  private static final class Line {
    private final String point;
    private final ArrayDeque<Submitted> plans = new ArrayDeque<>();
    private boolean closed;

    Line(String point) {
      this.point = point;
    }

    synchronized void add(CopyPlan plan, CopyListener listener) {
      plans.add(new Submitted(plan, plan, listener));
      notifyAll();
    }

    synchronized void close() {
      closed = true;
      notifyAll();
    }

    synchronized @Nullable Submitted take() {
      while (plans.isEmpty()) {
        if (closed) {
          return null;
        }
        try {
          wait();
        } catch (InterruptedException ended) {
          Thread.currentThread().interrupt();
          return null;
        }
      }
      return plans.poll();
    }
  }
}
