package io.orbitkv.testkit.policy;

import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.Policies;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.RetentionPolicy;
import java.util.function.Function;
import org.junit.jupiter.api.Disabled;

/** The kits over policies with a planted fault, whose tests are called one by one. */
final class FaultyPolicyKits {
  private FaultyPolicyKits() {}

  /** Nothing can be set. */
  record Settings() {}

  @Disabled("called by PolicyContractTest")
  static final class Admissions extends AdmissionPolicyContract {
    private final Function<PolicyContext, AdmissionPolicy> make;

    Admissions(Function<PolicyContext, AdmissionPolicy> make) {
      this.make = make;
    }

    @Override
    protected PolicyFactory<?> factory() {
      return Policies.admission(
          "faulty", Settings.class, (settings, context) -> make.apply(context));
    }
  }

  @Disabled("called by PolicyContractTest")
  static final class Cutoffs extends CutoffPolicyContract {
    private final CutoffPolicy policy;

    Cutoffs(CutoffPolicy policy) {
      this.policy = policy;
    }

    @Override
    protected PolicyFactory<?> factory() {
      return Policies.cutoff("faulty", Settings.class, (settings, context) -> policy);
    }
  }

  @Disabled("called by PolicyContractTest")
  static final class Lookaheads extends LookaheadPolicyContract {
    private final LookaheadPolicy policy;

    Lookaheads(LookaheadPolicy policy) {
      this.policy = policy;
    }

    @Override
    protected PolicyFactory<?> factory() {
      return Policies.lookahead("faulty", Settings.class, (settings, context) -> policy);
    }
  }

  @Disabled("called by PolicyContractTest")
  static final class Retentions extends RetentionPolicyContract {
    private final Function<PolicyContext, RetentionPolicy> make;

    Retentions(Function<PolicyContext, RetentionPolicy> make) {
      this.make = make;
    }

    @Override
    protected PolicyFactory<?> factory() {
      return Policies.retention(
          "faulty", Settings.class, (settings, context) -> make.apply(context));
    }
  }
}
