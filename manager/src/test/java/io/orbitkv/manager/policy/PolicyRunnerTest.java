package io.orbitkv.manager.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.manager.fixture.ManualClock;
import io.orbitkv.manager.fixture.NoMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class PolicyRunnerTest {
  private static final List<Integer> DEFAULT = List.of(-1);
  private static final List<Integer> ADVICE = List.of(3);
  private static final Duration DEADLINE = Duration.ofMillis(100);
  private static final PolicyLimits LIMITS = new PolicyLimits(4, 2, 2, Duration.ofSeconds(1));

  private final ManualClock clock = new ManualClock();
  private final Semaphore woken = new Semaphore(0);
  private final List<List<Integer>> answers = new ArrayList<>();
  private final CountDownLatch release = new CountDownLatch(1);
  private final CountDownLatch entered = new CountDownLatch(1);
  private PolicyRunner<LookaheadPolicy> runner;

  @AfterEach
  void end() {
    release.countDown();
    if (runner != null) {
      runner.close();
    }
  }

  @Test
  void fastPolicy_isHeard() throws Exception {
    start(context -> queue -> ADVICE);
    ask();
    awaitAdvice();

    assertThat(answers).containsExactly(ADVICE);
    assertThat(status()).isEqualTo(counts("running", 1, 1, 0, 0, 0));
  }

  @Test
  void throwingPolicy_costsACounterAndServesOn() throws Exception {
    boolean[] throwing = {true};
    start(context ->
        queue -> {
          if (throwing[0]) {
            throwing[0] = false;
            throw new LinkageError("planted");
          }
          return ADVICE;
        });
    ask();
    awaitAdvice();
    ask();
    awaitAdvice();

    assertThat(answers).containsExactly(DEFAULT, ADVICE);
    assertThat(runner.failedCalls()).isEqualTo(1);
    assertThat(status()).isEqualTo(counts("running", 2, 1, 0, 1, 0));
  }

  @Test
  void nonsense_meansTheDefault() throws Exception {
    start(context -> queue -> List.of());
    ask();
    awaitAdvice();

    assertThat(answers).containsExactly(DEFAULT);
    assertThat(status()).isEqualTo(counts("running", 1, 0, 0, 1, 0));
  }

  @Test
  void latePolicy_getsTheDefaultAtItsDeadlineAndItsAnswerIsDropped() throws Exception {
    start(context ->
        queue -> {
          entered.countDown();
          awaitLatch(release);
          return ADVICE;
        });
    ask();
    entered.await();
    runner.advance(clock.pass(DEADLINE));
    assertThat(answers).isEmpty();
    runner.advance(clock.pass(Duration.ofMillis(1)));
    assertThat(answers).containsExactly(DEFAULT);

    release.countDown();
    awaitAdvice();

    assertThat(answers).containsExactly(DEFAULT);
    assertThat(status()).isEqualTo(counts("running", 1, 0, 1, 0, 0));
  }

  @Test
  void answerThatCameAfterItsDeadline_isLateEvenWhenItIsThereFirst() throws Exception {
    start(context ->
        queue -> {
          entered.countDown();
          awaitLatch(release);
          return ADVICE;
        });
    ask();
    entered.await();
    clock.pass(Duration.ofMillis(101));
    release.countDown();
    awaitAdvice();

    assertThat(answers).containsExactly(DEFAULT);
    assertThat(status()).isEqualTo(counts("running", 1, 0, 1, 0, 0));
  }

  @Test
  void policyThatHangs_isAbandonedAndNeverAskedAgain() throws Exception {
    boolean[] hang = {true};
    start(context ->
        queue -> {
          entered.countDown();
          // A loop that no interrupt ends, as a bad policy would have it.
          while (hang[0] && release.getCount() > 0) {
            Thread.onSpinWait();
          }
          return ADVICE;
        });
    ask();
    entered.await();
    runner.advance(clock.pass(Duration.ofMillis(999)));
    assertThat(runner.state()).isEqualTo(PolicyRunner.State.RUNNING);
    runner.advance(clock.pass(Duration.ofMillis(1)));
    assertThat(runner.state()).isEqualTo(PolicyRunner.State.ABANDONED);

    ask();
    runner.tell(policy -> answers.add(ADVICE));

    assertThat(answers).containsExactly(DEFAULT, DEFAULT);
    assertThat(status()).isEqualTo(counts("abandoned", 2, 0, 2, 0, 1));
    release.countDown();
    runner.close();
    assertThat(runner.state()).isEqualTo(PolicyRunner.State.ABANDONED);
  }

  @Test
  void policyThatCannotBeMade_leavesTheSlotToItsDefault() throws Exception {
    CountDownLatch made = new CountDownLatch(1);
    start(context -> {
      made.countDown();
      throw new IllegalStateException("planted");
    });
    made.await();
    while (runner.state() == PolicyRunner.State.STARTING) {
      Thread.onSpinWait();
    }
    ask();

    assertThat(answers).containsExactly(DEFAULT);
    assertThat(status()).isEqualTo(counts("failed", 1, 0, 1, 0, 0));
  }

  @Test
  void policyThatHangsWhileItIsMade_isAbandoned() throws Exception {
    start(context -> {
      entered.countDown();
      awaitLatch(release);
      return queue -> ADVICE;
    });
    entered.await();
    runner.advance(clock.pass(Duration.ofSeconds(1)));

    assertThat(runner.state()).isEqualTo(PolicyRunner.State.ABANDONED);
  }

  @Test
  void factsBeyondTheMailbox_areDroppedAndCounted() throws Exception {
    BlockingQueue<Integer> heard = new LinkedBlockingQueue<>();
    start(context -> queue -> ADVICE);
    runner.tell(policy -> {
      entered.countDown();
      awaitLatch(release);
    });
    entered.await();
    for (int i = 0; i < 6; i++) {
      int fact = i;
      runner.tell(policy -> heard.add(fact));
    }
    release.countDown();

    for (int i = 0; i < 4; i++) {
      assertThat(heard.poll(20, TimeUnit.SECONDS)).isEqualTo(i);
    }
    assertThat(status().droppedFacts()).isEqualTo(2);
  }

  @Test
  void questionsBeyondTheLimit_getTheDefaultAtOnce() throws Exception {
    start(context ->
        queue -> {
          awaitLatch(release);
          return ADVICE;
        });
    ask();
    ask();
    ask();

    assertThat(answers).containsExactly(DEFAULT);
    release.countDown();
    awaitAdvice();
    awaitAdvice();
    assertThat(answers).containsExactly(DEFAULT, ADVICE, ADVICE);
  }

  @Test
  void timers_goOffWhenTheirTimeComes() throws Exception {
    BlockingQueue<Long> tokens = new LinkedBlockingQueue<>();
    BlockingQueue<Integer> sizes = new LinkedBlockingQueue<>();
    start(context ->
        new LookaheadPolicy() {
          @Override
          public List<Integer> prepare(List<RequestFacts> queue) {
            context.schedule(Duration.ofMillis(20), 2);
            context.schedule(Duration.ofMillis(10), 1);
            try {
              context.schedule(Duration.ofMillis(10), 3);
            } catch (IllegalStateException full) {
              sizes.add(2);
            }
            try {
              context.schedule(Duration.ofNanos(1), 3);
            } catch (IllegalArgumentException tooShort) {
              sizes.add(0);
            }
            return ADVICE;
          }

          @Override
          public void onTimer(long token) {
            tokens.add(token);
          }
        });
    ask();
    awaitAdvice();
    assertThat(sizes).containsExactly(2, 0);
    assertThat(tokens).isEmpty();
    runner.advance(clock.pass(Duration.ofMillis(10)));
    assertThat(tokens.poll(20, TimeUnit.SECONDS)).isEqualTo(1);
    runner.advance(clock.pass(Duration.ofMillis(10)));

    assertThat(tokens.poll(20, TimeUnit.SECONDS)).isEqualTo(2);
  }

  @Test
  void context_offersClockChanceMetersAndHistory() throws Exception {
    BlockingQueue<Object> seen = new LinkedBlockingQueue<>();
    start(context -> {
      seen.add(context.nanoTime());
      seen.add(context.random());
      seen.add(context.meters());
      seen.add(context.log());
      seen.add(context.history(4).touch(1));
      return queue -> ADVICE;
    });

    assertThat(seen.take()).isEqualTo(clock.getAsLong());
    assertThat(seen.take()).isInstanceOf(RandomGenerator.class);
    assertThat(seen.take()).isInstanceOf(Meters.class);
    assertThat(seen.take()).isInstanceOf(System.Logger.class);
    assertThat(seen.take()).isEqualTo(1);
  }

  @Test
  void close_givesDefaultsAndEndsTheThread() throws Exception {
    start(context ->
        queue -> {
          entered.countDown();
          awaitLatch(release);
          return ADVICE;
        });
    ask();
    entered.await();
    release.countDown();
    runner.close();

    assertThat(answers).containsExactly(DEFAULT);
    assertThat(runner.state()).isEqualTo(PolicyRunner.State.CLOSED);
  }

  private void start(Function<PolicyContext, LookaheadPolicy> create) {
    runner =
        new PolicyRunner<>(
            "test",
            create,
            LIMITS,
            clock,
            new RunnerContext(
                clock,
                RandomGenerator.of("L64X128MixRandom"),
                new NoMeters(),
                System.getLogger("test"),
                LIMITS.timers()),
            woken::release,
            null);
    runner.start();
  }

  private void ask() {
    runner.ask(
        new Question<>(policy -> policy.prepare(List.of()), answer -> !answer.isEmpty(), DEFAULT),
        clock.getAsLong() + DEADLINE.toNanos(),
        reply -> answers.add(reply.value()));
  }

  private void awaitAdvice() throws InterruptedException {
    woken.acquire();
    runner.advance(clock.getAsLong());
  }

  private Counts status() {
    return new Counts(
        runner.state(),
        runner.asked(),
        runner.answered(),
        runner.late(),
        runner.failed(),
        runner.droppedFacts());
  }

  private record Counts(
      PolicyRunner.State state,
      long asked,
      long answered,
      long late,
      long failed,
      long droppedFacts) {}

  private static Counts counts(
      String state, long asked, long answered, long late, long failed, long dropped) {
    return new Counts(
        PolicyRunner.State.valueOf(state.toUpperCase(Locale.ROOT)),
        asked,
        answered,
        late,
        failed,
        dropped);
  }

  private static void awaitLatch(CountDownLatch latch) {
    boolean interrupted = false;
    while (latch.getCount() > 0) {
      try {
        latch.await();
      } catch (InterruptedException ignoredAsABadPolicyWould) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
