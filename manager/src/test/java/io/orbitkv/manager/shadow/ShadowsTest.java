package io.orbitkv.manager.shadow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.fixture.ManualClock;
import io.orbitkv.manager.fixture.NoMeters;
import io.orbitkv.manager.policy.PolicySpec;
import io.orbitkv.manager.policy.ShadowPlan;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ShadowsTest {
  private static final Reason REASON = Reason.of("test");
  private static final int INSTANCE = 3;
  private static final long PAGE_BYTES = 1024;
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final long MEMORY = 8L << 20;

  private final ManualClock clock = new ManualClock();
  private final AtomicReference<Optional<BackingUsage>> store =
      new AtomicReference<>(Optional.empty());
  private final CountDownLatch gate = new CountDownLatch(1);
  private @Nullable Shadows shadows;
  private long operation;

  @AfterEach
  void end() {
    gate.countDown();
    if (shadows != null) {
      shadows.close();
    }
  }

  @Test
  void lookups_ofEveryConversation_areServedByAllMiniatures() {
    Shadows all = shadows(64, plan(1, admission(PolicySlot.ADMISSION_DRAM, () -> dropping())));
    for (int turn = 1; turn <= 3; turn++) {
      all.submitted(lookup(QueryKind.DEMAND, 1, 4 * turn), 10L * turn);
    }

    ShadowFigures figures = await(all, now -> now.lookups().sampled() == 3);

    ShadowFigures.Mini active = mini(figures, true);
    ShadowFigures.Mini shadow = mini(figures, false);
    assertThat(active.lookedUpPages()).isEqualTo(4 + 8 + 12);
    assertThat(active.hitPages()).isEqualTo(4 + 8);
    assertThat(active.dramWrittenBytes()).isEqualTo(12 * PAGE_BYTES);
    assertThat(shadow.lookedUpPages()).isEqualTo(24);
    assertThat(shadow.hitPages()).isZero();
    assertThat(figures.regrets())
        .singleElement()
        .satisfies(regret -> {
          assertThat(regret.pages()).isEqualTo(-12);
          assertThat(regret.ratio()).isCloseTo(-0.5, within(1e-9));
        });
    assertThat(figures.share()).isEqualTo(1);
    assertThat(figures.dramPages()).isEqualTo(64);
  }

  @Test
  void publishedAnswer_isFoundByTheNextTurn() {
    Shadows all = shadows(64, plan(1, builtIn(PolicySlot.RETENTION_DRAM)));
    all.submitted(lookup(QueryKind.DEMAND, 1, 2), 1);
    long[] keys = keys(1, 4);
    long[] answer = {keys[4], keys[5], keys[6], keys[7]};
    PageKey before = new PageKey(keys[2], keys[3]);
    for (int rank = 0; rank < 2; rank++) {
      all.published(
          new Event.Publish(
              1, ++operation, -1, INSTANCE, 0, 0, before, answer.clone(), new int[] {0, 1}),
          2);
    }
    all.submitted(lookup(QueryKind.DEMAND, 1, 5), 3);

    ShadowFigures figures = await(all, now -> now.lookups().sampled() == 2);

    assertThat(mini(figures, true).hitPages()).isEqualTo(4);
    assertThat(mini(figures, true).dramWrittenBytes()).isEqualTo(5 * PAGE_BYTES);
  }

  @Test
  void sample_quarter_takesConversationsWhole() {
    Shadows all = shadows(4096, plan(0.25, builtIn(PolicySlot.RETENTION_DRAM)));
    int conversations = 600;
    // Whoever comes first is told apart by the common page as long as few follow it.
    for (int turn = 1; turn <= 2; turn++) {
      for (int c = 1; c <= conversations; c++) {
        all.submitted(behindOnePage(c, 2 + turn), 1);
      }
    }

    ShadowFigures figures =
        await(all, now -> now.lookups().sampled() + now.lookups().others() == 2L * conversations);

    ShadowFigures.Mini active = mini(figures, true);
    assertThat(figures.lookups().sampled() / (2.0 * conversations)).isCloseTo(0.25, within(0.07));
    // Each second turn finds its first one: nobody's first turn is missing. The common page is hit
    // by all but the first.
    long taken = figures.lookups().sampled();
    assertThat(taken % 2).isZero();
    assertThat(active.hitPages()).isEqualTo(taken / 2 * 3 + taken / 2 - 1);
    assertThat(figures.dramPages()).isEqualTo(1024);
  }

  @Test
  void cacheTooLargeForTheMemory_theSampleIsSmaller() {
    Shadows all = shadows(1_000_000, plan(0.5, builtIn(PolicySlot.RETENTION_DRAM)));
    all.submitted(lookup(QueryKind.DEMAND, 1, 2), 1);

    ShadowFigures figures = await(all, now -> now.state().equals("running"));

    assertThat(figures.share()).isPositive().isLessThan(0.05);
    assertThat(4L * figures.dramPages()).isLessThanOrEqualTo(figures.knownPages());
  }

  @Test
  void whatMiniaturesCannotServe_isLeftOut() {
    Shadows all = shadows(64, plan(1, builtIn(PolicySlot.RETENTION_DRAM)));
    all.attached(attached(9, 2 * PAGE_BYTES));
    all.submitted(lookup(QueryKind.DEMAND, 1, 2), 1);
    all.submitted(lookup(QueryKind.SELECTED, 1, 2), 1);
    all.submitted(of(9, 1, 2), 1);
    all.submitted(of(77, 1, 2), 1);
    all.submitted(lookup(QueryKind.DISCOVER, 1, 2), 1);
    all.claimed(new Event.Claim(1, 4711, 1, -1, true), 1);

    ShadowFigures figures = await(all, now -> now.lookups().waiting() == 0);

    assertThat(figures.lookups().offered()).isEqualTo(5);
    assertThat(figures.lookups().sampled()).isEqualTo(1);
    assertThat(figures.lookups().leftOut()).isEqualTo(4);
  }

  @Test
  void preparation_isLookedUpWhenItIsClaimed() {
    Shadows all = shadows(64, plan(1, builtIn(PolicySlot.RETENTION_DRAM)));
    Event.Submit prepared = lookup(QueryKind.PREPARE, 1, 4);
    all.submitted(prepared, 1);
    all.claimed(new Event.Claim(1, prepared.operation(), 1, -1, false), 2);
    all.claimed(new Event.Claim(1, prepared.operation(), 1, -1, true), 3);

    ShadowFigures figures = await(all, now -> now.lookups().sampled() == 1);

    assertThat(figures.lookups().offered()).isEqualTo(1);
    assertThat(mini(figures, true).lookedUpPages()).isEqualTo(4);
  }

  @Test
  void tooManyWait_areDroppedForAllMiniaturesAlike() {
    Shadows all = shadows(4096, plan(1, admission(PolicySlot.ADMISSION_DRAM, () -> waiting(gate))));
    int sent = 6_000;
    for (int i = 0; i < sent; i++) {
      all.submitted(lookup(QueryKind.DEMAND, 1 + i % 50, 2), i);
    }
    assertThat(all.figures().lookups().dropped()).isPositive();

    gate.countDown();
    ShadowFigures figures = await(all, now -> now.lookups().waiting() == 0);

    ShadowFigures.Lookups lookups = figures.lookups();
    assertThat(lookups.offered()).isEqualTo(sent);
    assertThat(lookups.sampled()).isEqualTo(sent - lookups.dropped());
    assertThat(mini(figures, true).lookups()).isEqualTo(lookups.sampled());
    assertThat(mini(figures, false).lookups()).isEqualTo(lookups.sampled());
  }

  @Test
  void policyThatHangs_isAbandonedAndTheOthersGoOn() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    Shadows all =
        shadows(
            64,
            plan(
                1,
                admission(
                    PolicySlot.ADMISSION_DRAM,
                    () -> {
                      inside.countDown();
                      return waiting(gate);
                    }),
                builtIn(PolicySlot.RETENTION_DRAM)));
    for (int turn = 1; turn <= 4; turn++) {
      all.submitted(lookup(QueryKind.DEMAND, 1, 2 * turn), turn);
    }
    inside.await();
    all.watch();
    clock.pass(Duration.ofMillis(999));
    all.watch();
    assertThat(mini(all.figures(), "admission.dram").state()).isEqualTo("running");
    await(all, _ -> watchedUntilAbandoned(all));

    // The lookup in which the thread was lost may be lost with it; it is told as left out then.
    ShadowFigures figures =
        await(all, now -> now.lookups().sampled() + now.lookups().leftOut() == 4);
    long sampled = figures.lookups().sampled();

    assertThat(sampled).isBetween(3L, 4L);
    ShadowFigures.Mini lost = mini(figures, "admission.dram");
    assertThat(lost.state()).isEqualTo("abandoned");
    assertThat(lost.trouble()).contains("did not return from a call for [1000] ms");
    ShadowFigures.Mini other = mini(figures, "retention.dram");
    assertThat(other.state()).isEqualTo("running");
    assertThat(other.lookups()).isEqualTo(sampled);
    assertThat(other.hitPages()).isEqualTo(sampled == 4 ? 2 + 4 + 6 : 4 + 6);
    assertThat(figures.regrets())
        .extracting(ShadowFigures.Regret::slot)
        .containsExactly("retention.dram");

    // Whoever comes back too late changes nothing.
    gate.countDown();
    all.submitted(lookup(QueryKind.DEMAND, 1, 10), 5);
    ShadowFigures later = await(all, now -> now.lookups().sampled() == sampled + 1);
    assertThat(mini(later, "admission.dram").lookups()).isEqualTo(lost.lookups());
    assertThat(mini(later, "retention.dram").lookups()).isEqualTo(sampled + 1);
  }

  // A tick may come between two calls: each look counts from the first one at the same call.
  private boolean watchedUntilAbandoned(Shadows all) {
    all.watch();
    clock.pass(Duration.ofSeconds(1));
    all.watch();
    return mini(all.figures(), "admission.dram").state().equals("abandoned");
  }

  @Test
  void policyThatThrowsOrAnswersNonsense_losesItsMiniatureAlone() {
    Shadows all =
        shadows(
            64,
            plan(
                1,
                admission(
                    PolicySlot.ADMISSION_DRAM,
                    () ->
                        (chain, target) -> {
                          throw new StackOverflowError("planted");
                        }),
                admission(PolicySlot.ADMISSION_DRAM, () -> nonsense()),
                admission(
                    PolicySlot.ADMISSION_DRAM,
                    () -> {
                      throw new IllegalStateException("planted");
                    }),
                builtIn(PolicySlot.RETENTION_DRAM)));
    all.submitted(lookup(QueryKind.DEMAND, 1, 2), 1);
    all.submitted(lookup(QueryKind.DEMAND, 1, 4), 2);

    ShadowFigures figures = await(all, now -> now.lookups().sampled() == 2);

    assertThat(figures.miniatures())
        .filteredOn(each -> each.slot().equals("admission.dram") && !each.active())
        .extracting(ShadowFigures.Mini::trouble)
        .satisfiesExactly(
            trouble -> assertThat(trouble).contains("threw [java.lang.StackOverflowError]"),
            trouble -> assertThat(trouble).contains("nonsense: null"),
            trouble -> assertThat(trouble).contains("cannot be made"));
    assertThat(mini(figures, "retention.dram").lookups()).isEqualTo(2);
    assertThat(figures.regrets())
        .extracting(ShadowFigures.Regret::slot)
        .containsExactly("retention.dram");
  }

  @Test
  void otherPolicyServes_miniaturesBeginAnewAndEmpty() {
    Shadows all = shadows(64, plan(1, builtIn(PolicySlot.ADMISSION_DRAM)));
    all.submitted(lookup(QueryKind.DEMAND, 1, 4), 1);
    await(all, now -> now.lookups().sampled() == 1);

    // The same policies in another epoch: nothing is compared with anything else.
    all.serving(2, "swap of another slot", Map.of());
    all.submitted(lookup(QueryKind.DEMAND, 1, 4), 2);
    ShadowFigures same = await(all, now -> now.lookups().sampled() == 2);
    assertThat(mini(same, true).hitPages()).isEqualTo(4);
    assertThat(same.epoch()).isZero();

    all.serving(3, "swap", Map.of(PolicySlot.ADMISSION_DRAM, spec("other", () -> dropping())));
    await(all, now -> now.state().equals("waiting"));
    all.submitted(lookup(QueryKind.DEMAND, 1, 4), 3);
    ShadowFigures fresh = await(all, now -> now.lookups().sampled() == 3);
    assertThat(fresh.epoch()).isEqualTo(3);
    assertThat(fresh.cause()).isEqualTo("swap");
    assertThat(mini(fresh, true).policy()).isEqualTo("other");
    assertThat(mini(fresh, true).lookups()).isEqualTo(1);

    all.evicted();
    ShadowFigures emptied = await(all, now -> now.state().equals("waiting"));
    assertThat(emptied.cause()).isEqualTo("evict");
  }

  @Test
  void storeWithAWriteLimit_miniaturesHaveTheirShareOfIt() {
    store.set(Optional.of(usage(0, 8 * PAGE_BYTES)));
    Shadows all = shadows(64, true, plan(1, builtIn(PolicySlot.RETENTION_DRAM)));
    all.submitted(lookup(QueryKind.DEMAND, 1, 20), 1);
    ShadowFigures first = await(all, now -> now.lookups().sampled() == 1);
    assertThat(mini(first, true).ssdWrittenBytes()).isEqualTo(8 * PAGE_BYTES);

    // Six pages were written and the allowance is where it was: six have come in.
    store.set(Optional.of(usage(6 * PAGE_BYTES, 8 * PAGE_BYTES)));
    clock.pass(Duration.ofSeconds(2));
    await(
        all,
        now -> {
          // What was refused is not offered again: others come.
          all.submitted(lookup(QueryKind.DEMAND, (int) ++operation, 20), clock.getAsLong());
          return mini(now, true).ssdWrittenBytes() == 14 * PAGE_BYTES;
        });
  }

  @Test
  void storeThatHasNotToldItsSize_isWaitedFor() {
    Shadows all = shadows(64, true, plan(1, builtIn(PolicySlot.RETENTION_DRAM)));
    all.submitted(lookup(QueryKind.DEMAND, 1, 2), 1);
    await(all, now -> now.lookups().leftOut() == 1);

    store.set(Optional.of(usage(0, BackingUsage.UNLIMITED)));
    all.submitted(lookup(QueryKind.DEMAND, 1, 2), 1);
    ShadowFigures figures = await(all, now -> now.lookups().sampled() == 1);
    assertThat(figures.ssdPages()).isEqualTo(32);
    assertThat(mini(figures, true).ssdWrittenBytes()).isEqualTo(2 * PAGE_BYTES);
  }

  @Test
  void withoutShadows_nobodyListens() {
    Shadows all = new Shadows(new Shadows.Parts(1, false, Optional::empty, clock));
    shadows = all;

    assertThat(all.listens()).isFalse();
    assertThat(all.figures().state()).isEqualTo("off");
    all.configure(plan(1, builtIn(PolicySlot.RETENTION_DRAM)));
    assertThat(all.listens()).isTrue();
    assertThat(all.figures().state()).isEqualTo("waiting");
  }

  // ---- helpers -------------------------------------------------------------------------------

  private Shadows shadows(long dramPages, ShadowPlan plan) {
    return shadows(dramPages, false, plan);
  }

  private Shadows shadows(long dramPages, boolean backed, ShadowPlan plan) {
    Shadows all = new Shadows(new Shadows.Parts(dramPages * PAGE_BYTES, backed, store::get, clock));
    shadows = all;
    all.attached(attached(INSTANCE, PAGE_BYTES));
    all.configure(plan);
    return all;
  }

  private static Command.Attached attached(int instance, long pageBytes) {
    return new Command.Attached(1, 1, instance, 1, 1, 64, new long[] {pageBytes});
  }

  private static BackingUsage usage(long written, long left) {
    return new BackingUsage("", 32 * PAGE_BYTES, 0, 0, 0, 0, written, written, left, "");
  }

  private static ShadowPlan plan(double share, ShadowPlan.Shadow... all) {
    return new ShadowPlan(share, MEMORY, List.of(all));
  }

  private static ShadowPlan.Shadow builtIn(PolicySlot slot) {
    return new ShadowPlan.Shadow(slot, "none", null);
  }

  private static ShadowPlan.Shadow admission(PolicySlot slot, Supplier<AdmissionPolicy> policy) {
    return new ShadowPlan.Shadow(slot, "test", spec("test", policy));
  }

  private static PolicySpec spec(String name, Supplier<? extends Policy> policy) {
    return new PolicySpec(
        name,
        "test",
        "",
        policy,
        context -> policy.get(),
        epoch -> new PolicySpec.InstanceMeters(new NoMeters(), () -> {}),
        System.getLogger("test"),
        null);
  }

  private static AdmissionPolicy dropping() {
    return (chain, target) -> Admission.drop(REASON);
  }

  // What a plugin that was compiled without nullness can do.
  @SuppressWarnings("NullAway")
  private static AdmissionPolicy nonsense() {
    return (chain, target) -> null;
  }

  private static AdmissionPolicy waiting(CountDownLatch gate) {
    return (chain, target) -> {
      boolean open = false;
      while (!open) {
        try {
          gate.await();
          open = true;
        } catch (InterruptedException ignored) {
          // As a policy that does not heed interrupts.
        }
      }
      return Admission.admit(REASON);
    };
  }

  private Event.Submit lookup(QueryKind kind, int conversation, int pages) {
    return submit(INSTANCE, kind, keys(conversation, pages));
  }

  private Event.Submit of(int instance, int conversation, int pages) {
    return submit(instance, QueryKind.DEMAND, keys(conversation, pages));
  }

  private Event.Submit behindOnePage(int conversation, int pages) {
    long[] keys = keys(conversation, pages);
    keys[0] = 5;
    keys[1] = 5;
    return submit(INSTANCE, QueryKind.DEMAND, keys);
  }

  private Event.Submit submit(int instance, QueryKind kind, long[] keys) {
    return new Event.Submit(
        1,
        ++operation,
        1,
        -1,
        instance,
        kind,
        "request",
        new int[] {0},
        new int[] {keys.length / 2},
        keys,
        null);
  }

  private static long[] keys(int conversation, int pages) {
    long[] keys = new long[2 * pages];
    for (int i = 0; i < pages; i++) {
      keys[2 * i] = conversation;
      keys[2 * i + 1] = 1L + i;
    }
    return keys;
  }

  private static ShadowFigures await(Shadows all, Predicate<ShadowFigures> wanted) {
    long start = System.nanoTime();
    while (true) {
      ShadowFigures now = all.figures();
      if (wanted.test(now)) {
        return now;
      }
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError("this did not change as it should: " + now);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static ShadowFigures.Mini mini(ShadowFigures figures, boolean active) {
    return figures.miniatures().stream()
        .filter(each -> each.active() == active)
        .findFirst()
        .orElseThrow();
  }

  private static ShadowFigures.Mini mini(ShadowFigures figures, String slot) {
    return figures.miniatures().stream()
        .filter(each -> each.slot().equals(slot) && !each.active())
        .findFirst()
        .orElseThrow();
  }
}
