package io.orbitkv.kernel.operation;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.ReadSettings;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.read.ReadTask;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the reads of decisions are limited: by the settings, and by a cutoff policy where one is
 * asked. The stricter of the two holds in each respect. Dispatcher.
 */
final class ReadPlans {
  /** A deadline beyond it is none. */
  private static final Duration NEVER = Duration.ofDays(1);

  private final Step step;
  private final Asked asked;
  private final RequestDescriptions descriptions;
  private final QueueQuestions queues;
  private final LongMap<Decision> open = new LongMap<>();

  ReadPlans(Step step, Asked asked, RequestDescriptions descriptions, QueueQuestions queues) {
    this.step = step;
    this.asked = asked;
    this.descriptions = descriptions;
    this.queues = queues;
  }

  // ---- settings --------------------------------------------------------------------------------

  /** Sets until when a decision is read that is submitted, or claimed, now. */
  void begin(Decision decision) {
    decision.submittedNanos = step.nowNanos();
    Duration timeout = step.settings().reads().timeout();
    boolean limited = !timeout.isZero() && decision.stoppable();
    decision.readDeadlineNanos = limited ? step.nowNanos() + timeout.toNanos() : Long.MAX_VALUE;
    decision.handOver = step.settings().reads().handOver();
    tighten(decision);
  }

  /** What a plan says of the deadline, if it is the earlier one. */
  private static void tighten(Decision decision) {
    CutoffPolicy.ReadLimits plan = decision.plan;
    if (plan == null || !plan.deadline().isPositive() || plan.deadline().compareTo(NEVER) >= 0) {
      return;
    }
    long deadline = decision.submittedNanos + plan.deadline().toNanos();
    boolean handOver = plan.onDeadline() == OnDeadline.HAND_OVER;
    boolean none = decision.readDeadlineNanos == Long.MAX_VALUE;
    if (none || deadline - decision.readDeadlineNanos < 0) {
      decision.readDeadlineNanos = deadline;
      decision.handOver = handOver;
    } else if (deadline == decision.readDeadlineNanos) {
      decision.handOver &= handOver;
    }
  }

  /** The limits of a decision's batches. */
  ReadTask.ReadLimits limits(Decision decision) {
    ReadSettings settings = step.settings().reads();
    if (!decision.stoppable()) {
      return new ReadTask.ReadLimits(decision.pages(), 0, 1);
    }
    long batch = settings.batchBytes();
    if (decision.kind() == QueryKind.PREPARE) {
      batch = stricter(batch, ReadSettings.PREPARED_BATCH_BYTES);
    }
    long batches = settings.maxBatches();
    CutoffPolicy.ReadLimits plan = decision.plan;
    if (plan != null) {
      batch = stricter(batch, plan.batchBytes());
      batches = stricter(batches, plan.maxBatches());
    }
    long page = Math.max(1, decision.bytes() / decision.pages());
    int pages = batch == 0 ? decision.pages() : Math.clamp(batch / page, 1, 1 << 20);
    return new ReadTask.ReadLimits(pages, (int) batches, settings.pipeline());
  }

  /** The lower of two limits of which 0 is none. */
  private static long stricter(long one, long other) {
    if (one <= 0 || other <= 0) {
      return Math.max(0, Math.max(one, other));
    }
    return Math.min(one, other);
  }

  // ---- questions -------------------------------------------------------------------------------

  /** Whether a policy is asked how a decision is read. Who waits for a producer is not limited. */
  boolean asks(Decision decision) {
    return asked.asks(PolicySlot.CUTOFF) && decision.stoppable() && !decision.warming();
  }

  /** Asks how a decision is read whose task has started and waits. */
  void ask(Decision decision, ReadTask task) {
    long ticket = asked.nextTicket();
    open.put(ticket, decision);
    task.planAsked(ticket);
    step.count(KernelCounter.READ_PLANS);
    step.emit(
        new Command.AskReadPlan(
            ticket,
            descriptions.of(decision, task),
            queues.queuedTokens(decision.instance(), decision.requestId())));
  }

  /** The decision of whose read a question was, or null for no question; it may be over. */
  @Nullable Decision answered(Event.ReadPlanAdvice advice) {
    return open.remove(advice.ticket());
  }

  /** Whether a decision waits for its plan still. */
  static boolean waits(Decision decision) {
    ReadTask task = decision.task;
    return decision.state() == Decision.State.READING && task != null && !task.planned();
  }

  /** The plan of a decision holds from now on. */
  void take(Decision decision, CutoffPolicy.ReadLimits plan) {
    decision.plan = plan;
    tighten(decision);
  }

  /** How many pages from the first one on are to be restored. */
  static int wanted(Decision decision, CutoffPolicy.ReadLimits plan) {
    return Math.clamp(plan.restorePages(), 0, decision.pages());
  }
}
