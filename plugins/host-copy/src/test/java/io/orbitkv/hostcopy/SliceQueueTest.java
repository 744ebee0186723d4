package io.orbitkv.hostcopy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The order of slices, played by one thread. */
@Timeout(60)
class SliceQueueTest {
  private static final int MB = 1 << 20;
  private static final int FOREGROUND_SLICES = 8;

  private final SliceQueue queue = new SliceQueue(64, 4L * MB, FOREGROUND_SLICES);

  @Test
  void take_smallPlanBehindOneOfAGibibyte_isDoneAfterAFewSlicesOfIt() {
    PlanRun large = add(1, 1024, false);
    finish(queue.take());
    finish(queue.take());
    PlanRun small = add(2, 9, false);

    int slicesOfLarge = 0;
    for (boolean done = false; !done; ) {
      PlanRun.Slice slice = queue.take();
      slicesOfLarge += slice.run() == large ? 1 : 0;
      done = finish(slice) && slice.run() == small;
    }

    // The check and three slices of its own, each after one of the other.
    assertThat(slicesOfLarge).isLessThanOrEqualTo(4);
    assertThat(queue.plans()).isEqualTo(1);
  }

  @Test
  void take_wholePlan_coversEachByteOnceInSlicesOfAtMostTheirSize() {
    PlanRun run = add(1, 9, false);

    assertThat(queue.take().isCheck()).isTrue();
    assertThat(finishCheck(run)).isFalse();
    long next = 0;
    for (boolean done = false; !done; ) {
      PlanRun.Slice slice = queue.take();
      assertThat(slice.from()).isEqualTo(next);
      assertThat(slice.to() - slice.from()).isBetween(1L, 4L * MB);
      next = slice.to();
      done = finish(slice);
    }
    assertThat(next).isEqualTo(9L * MB);
    assertThat(run.outcome()).isEqualTo(new CopyOutcome.Done());
  }

  @Test
  void take_foregroundAndSpeculative_givesTheForegroundEightOfNine() {
    add(1, 400, true);
    add(2, 400, false);
    List<Boolean> speculative = new ArrayList<>();
    for (int i = 0; i < 36; i++) {
      PlanRun.Slice slice = queue.take();
      speculative.add(slice.run().plan().speculative());
      finish(slice);
    }

    for (int i = 0; i < 36; i++) {
      assertThat(speculative.get(i)).as("slice %d", i).isEqualTo(i % 9 == FOREGROUND_SLICES);
    }
  }

  @Test
  void take_onlySpeculative_servesIt() {
    add(1, 8, true);

    int slices = 1;
    while (!finish(queue.take())) {
      slices++;
    }

    assertThat(slices).isEqualTo(3);
  }

  @Test
  void returned_slicesOfOnePlanOnSeveralThreads_isDoneWithTheLastOfThem() {
    PlanRun run = add(1, 8, false);
    finish(queue.take());
    PlanRun.Slice first = queue.take();
    PlanRun.Slice second = queue.take();

    assertThat(first.run()).isEqualTo(run).isEqualTo(second.run());
    assertThat(queue.returned(second, null)).isFalse();
    assertThat(queue.plans()).isEqualTo(1);
    assertThat(queue.returned(first, null)).isTrue();
    assertThat(queue.plans()).isZero();
  }

  @Test
  void returned_failedSlice_beginsNoOtherAndIsDoneWhenTheBegunOnesAre() {
    PlanRun run = add(1, 400, false);
    finish(queue.take());
    PlanRun.Slice first = queue.take();
    PlanRun.Slice second = queue.take();
    PlanRun other = add(2, 4, false);

    assertThat(queue.returned(first, "planted")).isFalse();
    assertThat(queue.take().run()).isEqualTo(other);
    assertThat(queue.returned(second, "later")).isTrue();
    assertThat(run.outcome()).isEqualTo(new CopyOutcome.Failed("planted"));
  }

  @Test
  void returned_failedCheck_isDoneAtOnce() {
    PlanRun run = add(1, 400, false);

    assertThat(queue.returned(queue.take(), "no such page")).isTrue();
    assertThat(run.outcome()).isEqualTo(new CopyOutcome.Failed("no such page"));
    assertThat(queue.plans()).isZero();
  }

  @Test
  void add_toAFullQueue_isRefusedUntilAPlanIsDone() {
    SliceQueue two = new SliceQueue(2, 4L * MB, FOREGROUND_SLICES);
    assertThat(two.add(run(1, 1, false))).isTrue();
    assertThat(two.add(run(2, 1, true))).isTrue();
    assertThat(two.add(run(3, 1, false))).isFalse();

    assertThat(two.returned(two.take(), "failed")).isTrue();

    assertThat(two.add(run(3, 1, false))).isTrue();
  }

  @Test
  void take_afterClose_finishesWhatWasAcceptedAndThenEnds() {
    add(1, 4, false);
    queue.close();

    assertThatThrownBy(() -> queue.add(run(2, 4, false))).isInstanceOf(IllegalStateException.class);
    assertThat(finish(queue.take())).isFalse();
    assertThat(finish(queue.take())).isTrue();
    assertThat(queue.take()).isNull();
  }

  private boolean finishCheck(PlanRun run) {
    return queue.returned(new PlanRun.Slice(run, 0, 0), null);
  }

  private boolean finish(PlanRun.Slice slice) {
    return queue.returned(slice, null);
  }

  private PlanRun add(long id, int megabytes, boolean speculative) {
    PlanRun run = run(id, megabytes, speculative);
    assertThat(queue.add(run)).isTrue();
    return run;
  }

  private static PlanRun run(long id, int megabytes, boolean speculative) {
    SlotLayout slot =
        SlotLayout.of(0, List.of(new LayerLayout("layer", 0, 0, megabytes, MB, 1, 0, MB)));
    DeviceMemory nothing = () -> {};
    CopyPlan plan =
        new CopyPlan(
            id,
            nothing,
            slot,
            Direction.HOST_TO_DEVICE,
            speculative,
            CopyPlan.NO_EVENT,
            new long[megabytes],
            new int[megabytes]);
    return new PlanRun(plan, (completed, outcome) -> {}, 0);
  }
}
