package io.orbitkv.manager.shadow;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.manager.policy.PolicySpec;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A plugin's policy in a miniature: whatever it throws, and an answer that makes no sense, is one
 * kind of failure; a call that is given up is another. The thread of the miniatures.
 */
final class GuardedPolicy implements RetentionPolicy, AdmissionPolicy {
  private final PolicySpec spec;
  private final Supplier<Lane> lane;
  private final Policy policy;

  /** A policy has failed: its miniature tells nothing any more. */
  static final class FailedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    FailedException(String message) {
      super(message, null, false, false);
    }
  }

  /**
   * Makes the policy.
   *
   * @param lane of the thread that works now
   * @throws FailedException when it cannot be made
   */
  GuardedPolicy(PolicySpec spec, PolicyContext context, Supplier<Lane> lane) {
    this.spec = spec;
    this.lane = lane;
    this.policy = call(() -> spec.create().apply(context), "cannot be made");
  }

  @Override
  public void observe(PageEvents events) {
    run(() -> ((RetentionPolicy) policy).observe(events));
  }

  @Override
  public void score(PageBatch candidates, long[] scores) {
    run(() -> ((RetentionPolicy) policy).score(candidates, scores));
  }

  @Override
  public Admission admit(ChainFacts chain, TierFacts target) {
    Admission answer = call(() -> ((AdmissionPolicy) policy).admit(chain, target), "threw");
    if (answer.reason() == null) {
      throw new FailedException("[" + spec.name() + "] answered nonsense: no reason");
    }
    return answer;
  }

  @Override
  public void onTimer(long token) {
    run(() -> policy.onTimer(token));
  }

  private void run(Runnable work) {
    Boolean _ =
        call(
            () -> {
              work.run();
              return true;
            },
            "threw");
  }

  private <A> A call(Supplier<A> work, String how) {
    AtomicReference<@Nullable A> answer = new AtomicReference<>();
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    lane.get()
        .call(
            spec.loader(),
            () -> {
              try {
                answer.set(work.get());
              } catch (Throwable any) {
                thrown.set(any);
              }
            });
    Throwable failure = thrown.get();
    if (failure != null) {
      // Its text is the plugin's code too: the class alone.
      throw new FailedException(
          "[" + spec.name() + "] " + how + " [" + failure.getClass().getName() + "]");
    }
    A given = answer.get();
    if (given == null) {
      throw new FailedException("[" + spec.name() + "] answered nonsense: null");
    }
    return given;
  }
}
