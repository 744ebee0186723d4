package io.orbitkv.kernel.read;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Tasks that may submit a further batch only when a policy says so. Dispatcher. */
final class ReadSteps {
  private final Step step;
  private final Asked asked;
  private final LongMap<ReadTask> open = new LongMap<>();

  ReadSteps(Step step, Asked asked) {
    this.step = step;
    this.asked = asked;
  }

  /** Whether a task may submit its next batch; otherwise somebody is asked. */
  boolean mayStep(ReadTask task) {
    if (!task.stepwise || task.batchesSubmitted == 0 || task.mayStep) {
      return true;
    }
    if (!task.stepAsked) {
      task.stepAsked = true;
      long ticket = asked.nextTicket();
      open.put(ticket, task);
      step.emit(
          new Command.AskReadOn(
              ticket,
              task.planTicket,
              new CutoffPolicy.ReadProgress(
                  Duration.ofNanos(step.nowNanos() - task.submittedNanos),
                  task.batchesSubmitted,
                  task.present(),
                  task.end - task.next)));
    }
    return false;
  }

  /** The task of which it was asked, or null for no question; it may be over. */
  @Nullable ReadTask answered(Event.ReadOnAdvice advice) {
    ReadTask task = open.remove(advice.ticket());
    if (task != null) {
      task.stepAsked = false;
      task.mayStep = advice.goOn();
    }
    return task;
  }
}
