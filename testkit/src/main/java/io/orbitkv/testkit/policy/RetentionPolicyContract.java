package io.orbitkv.testkit.policy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.orbitkv.api.policy.PageEvents.Kind;
import io.orbitkv.api.policy.RetentionPolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What every {@link RetentionPolicy} must do. */
public abstract class RetentionPolicyContract extends PolicyContract<RetentionPolicy> {
  private static final Kind[] KINDS = Kind.values();
  private static final int BATCH = 256;
  private static final int RESIDENTS = 1_000;

  /** No score by chance. */
  private static final long UNTOUCHED = 0x5EED_5EED_5EED_5EEDL;

  /** For subclasses. */
  protected RetentionPolicyContract() {
    super(RetentionPolicy.class);
  }

  @Override
  final String ask(RetentionPolicy policy, AnyFacts facts, TestPolicyContext scope) {
    SplittableRandom random = new SplittableRandom(scope.nanoTime());
    policy.observe(events(facts, random, scope.nanoTime(), random.nextInt(32)));
    long[] scores = new long[16];
    policy.score(TestPages.of(candidates(facts, random, 16)), scores);
    return Arrays.toString(scores);
  }

  @Test
  final void score_ofAnyPages_fillsEveryEntryAndNoFurther() {
    RetentionPolicy policy = create();
    AnyFacts facts = facts();
    SplittableRandom random = new SplittableRandom(1);

    for (int size : new int[] {0, 1, 7, 1_024, 4_096}) {
      policy.observe(events(facts, random, context().nanoTime(), BATCH));
      long[] scores = new long[size + 3];
      Arrays.fill(scores, UNTOUCHED);

      policy.score(TestPages.of(candidates(facts, random, size)), scores);

      assertThat(Arrays.copyOf(scores, size)).as("scores").doesNotContain(UNTOUCHED);
      assertThat(Arrays.copyOfRange(scores, size, size + 3))
          .as("entries after the last candidate")
          .containsOnly(UNTOUCHED);
    }
  }

  @Test
  final void observe_ofAnyEvents_doesNotThrow() {
    RetentionPolicy policy = create();
    AnyFacts facts = facts();
    SplittableRandom random = new SplittableRandom(2);

    // Also removals and uses of pages that were never announced, and second insertions.
    for (int batch = 0; batch < 200; batch++) {
      TestPages events = events(facts, random, random.nextLong(), random.nextInt(BATCH));
      assertThatCode(() -> policy.observe(events)).doesNotThrowAnyException();
    }
  }

  @Test
  final void score_afterAdoption_knowsPagesThatItNeverHeardOf() {
    RetentionPolicy policy = create();
    AnyFacts facts = facts();
    List<TestPage> residents = candidates(facts, new SplittableRandom(3), 4_096);

    policy.adopt(TestPages.of(residents));
    long[] scores = new long[residents.size()];
    Arrays.fill(scores, UNTOUCHED);
    policy.score(TestPages.of(residents), scores);

    assertThat(scores).doesNotContain(UNTOUCHED);
  }

  @Test
  final void observe_ofMillionsOfPagesThatLeave_keepsItsMemoryBounded() {
    RetentionPolicy policy = create();
    Deque<TestPage> residents = new ArrayDeque<>();
    TestPages events = new TestPages();
    long[] scores = new long[1];

    HeldMemory.assertBounded(
        policy,
        key -> {
          TestPage page = TestPage.of(key);
          residents.add(page);
          events.add(page, Kind.INSERTED, key);
          if (residents.size() > RESIDENTS) {
            TestPage oldest = residents.remove();
            policy.score(TestPages.of(List.of(oldest)), scores);
            events.add(oldest, Kind.REMOVED, key);
          }
          tell(policy, events);
        });
  }

  /** When the Manager is behind it drops events: what a policy remembers must not wait for them. */
  @Test
  final void observe_ofMillionsOfPagesWhoseRemovalIsLost_keepsItsMemoryBounded() {
    RetentionPolicy policy = create();
    TestPages events = new TestPages();

    HeldMemory.assertBounded(
        policy,
        key -> {
          TestPage page = TestPage.of(key);
          events.add(page, Kind.INSERTED, key).add(page, Kind.USED, key);
          tell(policy, events);
        });
  }

  private static void tell(RetentionPolicy policy, TestPages events) {
    if (events.size() >= BATCH) {
      policy.observe(events);
      events.clear();
    }
  }

  private static TestPages events(
      AnyFacts facts, SplittableRandom random, long startNanos, int size) {
    TestPages events = new TestPages();
    for (int i = 0; i < size; i++) {
      Kind kind = KINDS[random.nextInt(KINDS.length)];
      events.add(facts.page(random.nextLong(RESIDENTS)), kind, startNanos + i);
    }
    return events;
  }

  private static List<TestPage> candidates(AnyFacts facts, SplittableRandom random, int size) {
    List<TestPage> pages = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      pages.add(facts.page(random.nextLong(RESIDENTS)));
    }
    return pages;
  }
}
