package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.settings.Setting;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every policy must do, whichever slot it serves. Extend the kit of the slot: {@link
 * AdmissionPolicyContract}, {@link CutoffPolicyContract}, {@link LookaheadPolicyContract}, {@link
 * RetentionPolicyContract} or {@link WarmingPolicyContract}. A policy that serves in slots of
 * several kinds extends one kit for each.
 *
 * <p>The kit makes policies from their factory, each in a context of its own, and calls them on the
 * test thread.
 *
 * @param <P> the contract of the slot
 */
public abstract class PolicyContract<P extends Policy> {
  private static final int CALLS = 2_000;
  private static final long SEED = 20_260_101;

  /** Of one policy in the Manager, where a further one is refused. */
  private static final int MOST_TIMERS = 1_024;

  private final Class<P> contract;
  private TestPolicyContext context = new TestPolicyContext("under-test", SEED);

  PolicyContract(Class<P> contract) {
    this.contract = contract;
  }

  /** Makes the policy under test. */
  protected abstract PolicyFactory<?> factory();

  /** Settings that differ from the defaults, by key as the configuration writes them. */
  protected Map<String, String> settings() {
    return Map.of();
  }

  @BeforeEach
  final void newContext() {
    context = newScope();
  }

  /** What the policies of this test may use. */
  protected final TestPolicyContext context() {
    return context;
  }

  /** A new policy in the context of this test. */
  protected final P create() {
    return create(context);
  }

  final P create(TestPolicyContext scope) {
    return contract.cast(PolicyTester.make(factory(), null, settings(), scope));
  }

  final AnyFacts facts() {
    return new AnyFacts(new SplittableRandom(SEED));
  }

  /**
   * Asks a policy one thing with facts that follow from the seed.
   *
   * @return what it answered, in words
   */
  abstract String ask(P policy, AnyFacts facts, TestPolicyContext scope);

  @Test
  final void factory_ofThePolicy_namesSlotsOfTheContract() {
    assertThat(factory().slots())
        .as("slots of policy [%s] with the contract of this kit", factory().name())
        .anySatisfy(slot -> assertThat(slot.type()).isEqualTo(contract));
    Policy policy = create();
    for (PolicySlot slot : factory().slots()) {
      assertThat(policy).as("what serves in slot [%s]", slot.key()).isInstanceOf(slot.type());
    }
  }

  @Test
  final void settings_ofThePolicy_areDocumentedAndLegalByDefault() {
    SettingsReader.describe(factory().settings())
        .forEach((String key, Setting setting) ->
            assertThat(setting.doc()).as("doc of setting [%s]", key).isNotBlank());
    assertThatCode(() -> SettingsReader.read(factory().settings(), settings()))
        .doesNotThrowAnyException();
  }

  @Test
  final void create_twice_givesPoliciesOfTheirOwn() {
    assertThat(create()).isNotSameAs(create());
  }

  @Test
  final void onTimer_ofAnyToken_doesNotThrow() {
    P policy = create();

    for (long token : new long[] {0, 1, -1, Long.MAX_VALUE, Long.MIN_VALUE}) {
      assertThatCode(() -> policy.onTimer(token)).doesNotThrowAnyException();
    }
  }

  @Test
  final void adopt_ofAnyPages_doesNotThrow() {
    P policy = create();
    AnyFacts facts = facts();

    for (int size : new int[] {0, 1, 4_096, 4_096}) {
      List<TestPage> residents = new ArrayList<>();
      for (long id = 0; id < size; id++) {
        residents.add(facts.page(id));
      }
      assertThatCode(() -> policy.adopt(TestPages.of(residents))).doesNotThrowAnyException();
    }
  }

  @Test
  final void decisions_ofEqualRuns_areEqualWhenThePolicyIsReplayable() {
    assumeTrue(factory().replayable(), "the policy says that it is not replayable");

    assertThat(transcript(newScope())).isEqualTo(transcript(newScope()));
  }

  @Test
  final void timers_afterManyQuestions_areFewerThanTheManagerKeeps() {
    TestPolicyContext scope = newScope();

    transcript(scope);

    assertThat(scope.waitingTimers()).as("timers that wait").isLessThanOrEqualTo(MOST_TIMERS);
  }

  private TestPolicyContext newScope() {
    return new TestPolicyContext(factory().name(), SEED);
  }

  private List<String> transcript(TestPolicyContext scope) {
    P policy = create(scope);
    AnyFacts facts = facts();
    List<String> answers = new ArrayList<>();
    for (int call = 0; call < CALLS; call++) {
      answers.add(ask(policy, facts, scope));
      scope.advance(Duration.ofNanos(1 + call % 7 * 1_000_000L), policy);
    }
    return answers;
  }
}
