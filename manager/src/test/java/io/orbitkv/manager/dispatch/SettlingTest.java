package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

/** Who waits until nothing is left to do, and how long the regular ticks stay out. */
class SettlingTest {
  private static final long NOW = 1_000;

  private final Settling settling = new Settling();
  private final Settling.Wait wait = new Settling.Wait();

  @Test
  void nothingUnderWay_settlesAfterTwoTicks() {
    settling.add(wait, NOW);
    assertThat(settling.quiet(NOW)).isTrue();
    assertThat(settling.quiet(NOW)).isTrue();
    assertThat(wait.settled()).isNotDone();
    assertThat(settling.quiet(NOW)).isFalse();
    assertThat(wait.settled()).isCompleted();
    assertThat(settling.waits()).isFalse();
  }

  @Test
  void somethingUnderWay_isNamedAndNothingSettles() {
    settling.add(wait, NOW);
    assertThat(wait.awaited()).isEqualTo("the dispatcher");
    settling.busy("the backing tier");
    assertThat(wait.awaited()).isEqualTo("the backing tier");
    settling.busy("the kernel");
    assertThat(wait.awaited()).isEqualTo("the kernel");
    assertThat(wait.settled()).isNotDone();
    assertThat(settling.waits()).isTrue();
  }

  @Test
  void whoComesLater_getsTwoTicksOfItsOwn() {
    Settling.Wait later = new Settling.Wait();
    settling.add(wait, NOW);
    settling.quiet(NOW);
    settling.add(later, NOW);
    assertThat(settling.quiet(NOW)).isTrue();
    assertThat(settling.quiet(NOW)).as("the later one has a tick to come").isTrue();
    assertThat(wait.settled()).isCompleted();
    assertThat(later.settled()).isNotDone();
    assertThat(settling.quiet(NOW)).isFalse();
    assertThat(later.settled()).isCompleted();
  }

  @Test
  void whoDoesNotWaitAnyMore_isForgottenAndGetsNoTick() {
    settling.add(wait, NOW);
    wait.settled().cancel(false);
    assertThat(settling.quiet(NOW)).isFalse();
    assertThat(settling.waits()).isFalse();

    Settling.Wait other = new Settling.Wait();
    settling.add(other, NOW);
    other.settled().cancel(false);
    settling.forgetCancelled();
    assertThat(settling.waits()).isFalse();
  }

  @Test
  void regularTicks_stayOutForAWhileAndTheEndIsToldOnce() {
    assertThat(settling.holds(NOW)).isFalse();
    assertThat(settling.endsHold(NOW)).isFalse();
    settling.add(wait, NOW);
    long end = NOW + Settling.HOLD_NANOS;
    assertThat(settling.holds(end - 1)).isTrue();
    assertThat(settling.endsHold(end - 1)).isFalse();
    assertThat(settling.holds(end)).isFalse();
    assertThat(settling.endsHold(end)).isTrue();
    assertThat(settling.endsHold(end)).isFalse();
  }

  @Test
  void settled_holdsTheRegularTicksAnew() {
    settling.add(wait, NOW);
    long later = NOW + Settling.HOLD_NANOS - 1;
    settling.quiet(later);
    settling.quiet(later);
    settling.quiet(later);
    assertThat(settling.holds(later + Settling.HOLD_NANOS - 1)).isTrue();
    assertThat(settling.holds(later + Settling.HOLD_NANOS)).isFalse();
  }

  @Test
  void clockThatWrapsAround_holdsAllTheSame() {
    settling.add(wait, Long.MAX_VALUE - 10);
    assertThat(settling.holds(Long.MIN_VALUE + 10)).isTrue();
    assertThat(settling.holds(Long.MIN_VALUE + Settling.HOLD_NANOS)).isFalse();
  }

  @Test
  void endOfTheDispatcher_failsAllWhoWait() {
    settling.add(wait, NOW);
    settling.abandon(new IllegalStateException("over"));
    assertThatThrownBy(() -> wait.settled().get())
        .isInstanceOf(ExecutionException.class)
        .hasRootCauseMessage("over");
    assertThat(settling.waits()).isFalse();
  }
}
