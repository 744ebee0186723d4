package io.orbitkv.manager.policy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.fixture.ManualClock;
import io.orbitkv.manager.fixture.NoMeters;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

/** A policy host whose dispatcher is the test: commands are made by hand, time passes by hand. */
final class HostUnderTest implements AutoCloseable {
  static final TierFacts DRAM = new TierFacts(TierKind.DRAM, 100, 60, 0, -1, -1, -1, 1 << 20);
  static final TierFacts SSD = new TierFacts(TierKind.SSD, 900, 700, 5, 3, 2, 1, 50);
  private static final long PATIENCE_SECONDS = 30;

  final ManualClock clock = new ManualClock();
  final Journal journal = Journal.inMemory(64, 4);
  final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  final List<Event> reports = new ArrayList<>();
  final PolicyHost host =
      new PolicyHost(
          new PolicyHost.Parts(
              PolicyLimits.DEFAULT,
              clock,
              () -> 1_000,
              new SplittableRandom(7),
              registry,
              journal,
              () -> DRAM,
              () -> SSD,
              500));
  private final Semaphore woken = new Semaphore(0);

  HostUnderTest() {
    host.connect(reports::add, woken::release);
  }

  /** A policy of the test itself. */
  static PolicySpec spec(String name, Function<PolicyContext, ? extends Policy> create) {
    return new PolicySpec(
        name,
        "test",
        "",
        List.of(name, create),
        create,
        epoch -> new PolicySpec.InstanceMeters(new NoMeters(), () -> {}),
        System.getLogger("test"),
        null);
  }

  static SlotPlan plan(String name, Policy policy) {
    return SlotPlan.of(List.of(spec(name, context -> policy)));
  }

  /** Lets somebody serve, and returns what the kernel hears. */
  Event.Policies serve(PolicySlot slot, SlotPlan plan) {
    return (Event.Policies) host.change(Map.of(slot, plan), "test").orElseThrow();
  }

  /** Waits until something is reported. */
  <E extends Event> E await(Class<E> type) throws InterruptedException {
    while (true) {
      for (Event event : reports) {
        if (type.isInstance(event)) {
          reports.remove(event);
          return type.cast(event);
        }
      }
      if (!woken.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        throw new AssertionError("no " + type.getSimpleName() + " came; reported " + reports);
      }
      host.advance(clock.getAsLong());
    }
  }

  /** Time passes. */
  void pass(Duration duration) {
    host.advance(clock.pass(duration));
  }

  /** Waits for what a policy's thread does by itself. */
  void awaitFigures(Predicate<List<PolicyFigures>> wanted) {
    long start = System.nanoTime();
    while (!wanted.test(host.figures())) {
      if (System.nanoTime() - start > TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS)) {
        throw new AssertionError("never came: " + host.figures());
      }
      Thread.onSpinWait();
      host.advance(clock.getAsLong());
    }
  }

  /** What serves, or served, in a slot, by the name of the policy. */
  PolicyFigures figures(PolicySlot slot, String policy) {
    return host.figures().stream()
        .filter(each -> each.slot().equals(slot.key()) && each.policy().equals(policy))
        .findFirst()
        .orElseThrow(() -> new AssertionError(policy + " is not in " + host.figures()));
  }

  static ChainFacts chain(long id) {
    return new ChainFacts(id, -1, 0, 4, 0, 4096, TierKind.DEVICE, -1, 1, 0.5);
  }

  static RequestFacts request(String id) {
    return new RequestFacts(
        "engine", id, "", 1, 64, 4, chain(id.hashCode()), 0, 1, 3, false, List.of());
  }

  @Override
  public void close() {
    host.close();
  }
}
