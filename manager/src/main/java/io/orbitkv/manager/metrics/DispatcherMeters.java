package io.orbitkv.manager.metrics;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.DispatchMeter;

/** Times what the dispatcher does. Dispatcher, but for the constructor. */
public final class DispatcherMeters implements DispatchMeter {
  private final OperationTimes operations;
  private final BucketTimer steps;
  private final BucketTimer batches;
  private final BucketTimer maintenance;
  private final BucketTimer publishCopies;
  private final BucketTimer restoreCopies;

  /** Registers the timers of the only cell. */
  public DispatcherMeters(ManagerMeterRegistry registry) {
    this(registry, "");
  }

  /**
   * Registers the timers of a cell.
   *
   * @param cell its name, which they carry; empty for none
   */
  public DispatcherMeters(ManagerMeterRegistry registry, String cell) {
    CellTimers timers = new CellTimers(registry, cell);
    operations = new OperationTimes(timers);
    steps =
        timers.duration(
            "orbitkv_dispatcher_step_duration_seconds",
            "To handle one event and to carry out what follows from it");
    batches =
        timers.duration(
            "orbitkv_dispatcher_batch_duration_seconds",
            "To handle what waited, before the next look around");
    maintenance =
        timers.duration(
            "orbitkv_maintenance_lag_seconds",
            "How long after it was due a maintenance tick was handled");
    publishCopies = copies(timers, "publish");
    restoreCopies = copies(timers, "restore");
  }

  private static BucketTimer copies(CellTimers timers, String direction) {
    return timers.duration(
        "orbitkv_copy_duration_seconds",
        "From the hand-over of a plan to a copier to its report",
        "direction",
        direction);
  }

  /** Operations that were not timed because too many were under way. */
  long untimedOperations() {
    return operations.untimed();
  }

  @Override
  public void arrived(Event event, long nowNanos) {
    operations.arrived(event, nowNanos);
  }

  @Override
  public void told(Command command, long nowNanos) {
    operations.told(command, nowNanos);
  }

  @Override
  public void stepped(long durationNanos) {
    steps.recordAlone(durationNanos);
  }

  @Override
  public void batched(long durationNanos) {
    batches.recordAlone(durationNanos);
  }

  @Override
  public void maintained(long lagNanos) {
    maintenance.recordAlone(lagNanos);
  }

  @Override
  public void copied(CopyPlan.Direction direction, long durationNanos) {
    switch (direction) {
      case DEVICE_TO_HOST -> publishCopies.recordAlone(durationNanos);
      case HOST_TO_DEVICE -> restoreCopies.recordAlone(durationNanos);
    }
  }
}
