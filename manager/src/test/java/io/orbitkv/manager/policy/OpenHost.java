package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.fixture.ManualClock;
import java.time.Duration;
import java.util.List;

/** A policy host whose dispatcher is the test, for tests of other packages. */
public final class OpenHost implements AutoCloseable {
  private final HostUnderTest under = new HostUnderTest();

  /** The host. */
  public PolicyHost host() {
    return under.host;
  }

  /** Its clock. */
  public ManualClock clock() {
    return under.clock;
  }

  /** What it has reported. */
  public List<Event> reports() {
    return under.reports;
  }

  /** Waits until something is reported. */
  public <E extends Event> E await(Class<E> type) throws InterruptedException {
    return under.await(type);
  }

  /** A policy of the test itself. */
  public static SlotPlan plan(String name, Policy policy) {
    return HostUnderTest.plan(name, policy);
  }

  /** Time passes. */
  public long pass(Duration duration) {
    return under.clock.pass(duration);
  }

  @Override
  public void close() {
    under.close();
  }
}
