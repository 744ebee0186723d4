package io.orbitkv.kernel.transfer;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.operation.Operation;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.List;

/** The plans that were submitted and not reported. Each keeps its device memory open. */
public final class Plans {
  private final Step step;
  private final Residency residency;
  private final LongMap<Plan> running = new LongMap<>();
  private long last;

  /** No plan is running. */
  public Plans(Step step, Residency residency) {
    this.step = step;
    this.residency = residency;
  }

  /**
   * A plan.
   *
   * @param registration whose memory it touches
   * @param owner the restore or publish
   */
  public record Plan(Registration registration, Operation owner) {}

  /** Submits a copy of as many pages as there are device pages. */
  void submit(
      Registration registration,
      Operation owner,
      int group,
      CopyPlan.Direction direction,
      long waitEvent,
      int[] pages,
      int[] devicePages,
      int stageSlot) {
    long[] addresses = new long[pages.length];
    for (int i = 0; i < pages.length; i++) {
      addresses[i] = residency.address(pages[i], registration.rank());
    }
    long id = ++last;
    running.put(id, new Plan(registration, owner));
    registration.planStarted();
    step.emit(
        new Command.Copy(
            new CopyPlan(
                id,
                registration.memory(),
                registration.slot(group),
                direction,
                false,
                waitEvent,
                addresses,
                devicePages,
                stageSlot)));
  }

  /** A plan that runs. */
  public Plan running(long id) {
    Plan plan = running.get(id);
    if (plan == null) {
      throw new BrokenInvariant("plan [" + id + "] reports its submission, but does not run");
    }
    return plan;
  }

  /** A plan reported: it is over, once. */
  public Plan ended(long id) {
    Plan plan = running.remove(id);
    if (plan == null) {
      throw new BrokenInvariant("plan [" + id + "] reports its end, but does not run");
    }
    plan.registration().planEnded();
    return plan;
  }

  /** Plans that run. */
  public int running() {
    return running.size();
  }

  /** A copy. */
  public List<Plan> all() {
    return running.values();
  }
}
