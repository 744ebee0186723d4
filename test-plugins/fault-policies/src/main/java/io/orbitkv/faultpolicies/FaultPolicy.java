package io.orbitkv.faultpolicies;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.WarmingPolicy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Serves in every slot and does what its settings say, whatever it is asked. */
final class FaultPolicy
    implements AdmissionPolicy, CutoffPolicy, LookaheadPolicy, RetentionPolicy, WarmingPolicy {
  private static final long NEVER_NANOS = Long.MAX_VALUE;

  private final FaultPolicySettings settings;
  private final PolicyContext context;
  private final Reason reason;
  private final Meters.Counter calls;

  FaultPolicy(FaultPolicySettings settings, PolicyContext context) {
    if (settings.mode() == FaultPolicySettings.Mode.UNMADE) {
      throw new IllegalStateException("planted");
    }
    this.settings = settings;
    this.context = context;
    this.reason = Reason.of(settings.reason());
    this.calls = context.meters().counter("calls_total", "calls of the policy");
  }

  @Override
  public Admission admit(ChainFacts chain, TierFacts target) {
    return fails() ? nothing() : Admission.admit(reason);
  }

  @Override
  public ReadLimits plan(RequestFacts request, TierFacts source, EngineFacts engine) {
    return fails()
        ? new ReadLimits(-1, -1, Duration.ofDays(-1), OnDeadline.MISS, -1, reason)
        : new ReadLimits(
                batchBytes(request), 0, Duration.ZERO, OnDeadline.MISS, Integer.MAX_VALUE, reason)
            .inSteps();
  }

  // A page at a time, so that there is a further batch to be asked about.
  private static long batchBytes(RequestFacts request) {
    return Math.max(1, request.chain().bytes() / Math.max(1, request.chain().pages()));
  }

  @Override
  public boolean proceed(ReadProgress progress) {
    return !fails();
  }

  @Override
  public List<Integer> prepare(List<RequestFacts> queue) {
    return fails() ? List.of(queue.size()) : queue.isEmpty() ? List.of() : List.of(0);
  }

  @Override
  public List<Integer> warm(List<RequestFacts> queue) {
    return fails() ? List.of(0, 0, -1) : queue.isEmpty() ? List.of() : List.of(queue.size() - 1);
  }

  @Override
  public void observe(PageEvents events) {
    fails();
  }

  @Override
  public void score(PageBatch candidates, long[] scores) {
    boolean nonsense = fails();
    for (int i = 0; i < candidates.size(); i++) {
      scores[i] = nonsense ? context.random().nextLong() : candidates.lastUseNanos(i);
      candidates.setMark(i, candidates.mark(i) + 1);
    }
  }

  @Override
  public void adopt(PageBatch residents) {
    fails();
  }

  /** Whether the answer is to be nonsense; the other faults happen in here. */
  private boolean fails() {
    calls.add(1);
    return switch (settings.mode()) {
      case WORK, UNMADE -> false;
      case NONSENSE -> true;
      case THROW -> throw new LinkageError("planted");
      case HANG -> {
        pass(NEVER_NANOS);
        yield false;
      }
      case LATE -> {
        pass(settings.delay().toNanos());
        yield false;
      }
    };
  }

  // As a policy that does not heed interrupts.
  private void pass(long nanos) {
    long start = context.nanoTime();
    boolean interrupted = false;
    while (context.nanoTime() - start < nanos) {
      LockSupport.parkNanos(this, Math.min(nanos, 1_000_000));
      interrupted |= Thread.interrupted();
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @SuppressWarnings("NullAway") // The very fault.
  private static Admission nothing() {
    return null;
  }
}
