package io.orbitkv.testkit.simulation;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.WorkerLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * A copier without hardware over a {@link SimulatedMemoryTier}: a plan moves the tags of its pages,
 * at its end, and ends when the test says so or when its time has come. It checks that host runs
 * and device memory live as long as the plans on them (an {@link AssertionError} tells otherwise).
 *
 * <p>Deterministic; reports are made inside {@link #advance} and {@link #complete}, never inside
 * {@link #submit}. One thread.
 */
public final class SimulatedCopier implements DeviceCopier {
  private final String kind;
  private final SimulatedMemoryTier memory;
  private final LongSupplier nanoClock;
  private final int capacity;
  private final CopyScript script;
  private final List<Running> running = new ArrayList<>();
  private final List<HostChunk> registered = new ArrayList<>();
  private final List<SimulatedDevice> devices = new ArrayList<>();
  private long submissions;
  private boolean closed;

  /**
   * @param kind {@link #memoryKind()}
   * @param memory where the host runs are
   * @param nanoClock virtual time
   * @param capacity most plans under way; more are not accepted
   * @param script what becomes of plans
   */
  public SimulatedCopier(
      String kind,
      SimulatedMemoryTier memory,
      LongSupplier nanoClock,
      int capacity,
      CopyScript script) {
    this.kind = kind;
    this.memory = memory;
    this.nanoClock = nanoClock;
    this.capacity = capacity;
    this.script = script;
  }

  @Override
  public String memoryKind() {
    return kind;
  }

  @Override
  public void registerHostMemory(HostChunk chunk) {
    registered.add(chunk);
  }

  @Override
  public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
    String failure = script.openFailure(descriptor);
    if (failure != null) {
      throw new IllegalArgumentException(failure);
    }
    SimulatedDevice device = new SimulatedDevice(descriptor, layout);
    devices.add(device);
    return device;
  }

  /**
   * {@inheritDoc}
   *
   * @throws AssertionError when a run is not allocated, not registered, or in conflict with another
   *     copy, or the device memory is closed or has no such page
   */
  @Override
  public boolean submit(CopyPlan plan, CopyListener listener) {
    if (closed) {
      throw new AssertionError("plan [" + plan.id() + "] is submitted to a closed copier");
    }
    if (running.size() >= capacity) {
      return false;
    }
    if (!(plan.memory() instanceof SimulatedDevice device)) {
      throw new AssertionError("plan [" + plan.id() + "] names memory of another copier");
    }
    boolean write = plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
    device.begin();
    List<SimulatedMemoryTier.Run> runs = new ArrayList<>();
    for (int i = 0; i < plan.pages(); i++) {
      if (plan.devicePage(i) < 0 || plan.devicePage(i) >= plan.slot().devicePages()) {
        throw new AssertionError("plan [" + plan.id() + "] has device page " + plan.devicePage(i));
      }
      checkRegistered(plan, plan.hostAddress(i));
      runs.add(memory.begin(plan.hostAddress(i), plan.slot().payloadBytes(), write));
    }
    long dueNanos = nanoClock.getAsLong() + script.delayNanos(plan);
    running.add(new Running(submissions++, dueNanos, plan, listener, device, runs));
    return true;
  }

  /** The plans under way, in order of submission. */
  public List<CopyPlan> running() {
    return running.stream().map(Running::plan).toList();
  }

  /** Every device memory that was opened, in order. */
  public List<SimulatedDevice> devices() {
    return List.copyOf(devices);
  }

  /**
   * Ends all plans whose time has come, in order of time and then of submission. Plans that are
   * submitted meanwhile wait for the next call.
   *
   * @return number of plans that ended
   */
  public int advance() {
    long now = nanoClock.getAsLong();
    List<Running> due =
        running.stream()
            .filter(run -> run.dueNanos() - now <= 0)
            .sorted(
                Comparator.comparingLong((Running run) -> run.dueNanos() - now)
                    .thenComparingLong(Running::number))
            .toList();
    due.forEach(this::end);
    return due.size();
  }

  /**
   * Ends one plan now, whatever its time.
   *
   * @param index in {@link #running()}
   */
  public void complete(int index) {
    end(running.get(index));
  }

  /**
   * @throws AssertionError when a plan or an open device memory is left
   */
  @Override
  public void close() {
    if (!running.isEmpty()) {
      throw new AssertionError("the copier is closed under plans " + running());
    }
    for (SimulatedDevice device : devices) {
      if (!device.isClosed()) {
        throw new AssertionError("device memory of " + device.descriptor() + " is still open");
      }
    }
    closed = true;
  }

  private void checkRegistered(CopyPlan plan, long address) {
    long bytes = plan.slot().payloadBytes();
    for (HostChunk chunk : registered) {
      if (chunk.address() <= address && address + bytes <= chunk.address() + chunk.bytes()) {
        return;
      }
    }
    throw new AssertionError(
        "plan ["
            + plan.id()
            + "] has a run at ["
            + Long.toHexString(address)
            + "], which lies in no registered chunk");
  }

  private void end(Running run) {
    running.remove(run);
    CopyPlan plan = run.plan();
    boolean write = plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
    CopyOutcome outcome = script.outcome(plan);
    switch (outcome) {
      case CopyOutcome.Done done -> {
        moveTags(run, write);
        release(run, write);
      }
      case CopyOutcome.Failed failed -> release(run, write);
      case CopyOutcome.Unknown unknown -> {
        // Nobody knows whether the hardware is done: runs and device memory stay as they are.
      }
    }
    run.listener().completed(plan, outcome);
  }

  private static void moveTags(Running run, boolean toHost) {
    CopyPlan plan = run.plan();
    int group = plan.slot().group();
    for (int i = 0; i < plan.pages(); i++) {
      SimulatedMemoryTier.Run host = run.runs().get(i);
      if (toHost) {
        host.setTag(run.device().tag(group, plan.devicePage(i)));
      } else {
        run.device().setTag(group, plan.devicePage(i), host.tag());
      }
    }
  }

  private static void release(Running run, boolean write) {
    run.runs().forEach(host -> host.end(write));
    run.device().end();
  }

  /** A plan under way. */
  private record Running(
      long number,
      long dueNanos,
      CopyPlan plan,
      CopyListener listener,
      SimulatedDevice device,
      List<SimulatedMemoryTier.Run> runs) {}
}
