package io.orbitkv.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.SharedMemory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.testkit.ManualClock;
import io.orbitkv.testkit.RecordingChunkListener;
import io.orbitkv.testkit.RecordingCopyListener;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulatedCopierTest {
  private static final int PAGE = 4096;
  private static final WorkerLayout LAYOUT =
      new WorkerLayout(
          0,
          1,
          16,
          -1,
          List.of(new GroupSpec(0, new GroupRule.Prefix())),
          List.of(new LayerLayout("layer", 0, 0, 8, PAGE, 1, 0, PAGE)));
  private static final SlotLayout SLOT = LAYOUT.slots().getFirst();

  private final SimulatedMemoryTier memory = new SimulatedMemoryTier(16 * PAGE, 2);
  private final ManualClock clock = new ManualClock(0);
  private final Script script = new Script();
  private final RecordingCopyListener listener = new RecordingCopyListener();
  private final SimulatedCopier copier =
      new SimulatedCopier(SharedMemory.KIND, memory, clock, 4, script);
  private SimulatedDevice device = openDevice();
  private long nextPlan = 1;

  @BeforeEach
  void prepare() {
    memory.prepare(new RecordingChunkListener());
    for (HostChunk chunk : memory.chunks()) {
      copier.registerHostMemory(chunk);
      memory.activate(chunk);
    }
  }

  @Test
  void advance_publishAndRestore_movesTheTags() {
    long run = memory.allocate(PAGE, -1);
    device.setTag(0, 3, 77);

    submit(Direction.DEVICE_TO_HOST, run, 3);
    assertThat(memory.tag(run)).isEqualTo(SimulatedMemoryTier.UNWRITTEN);
    assertThat(copier.advance()).isEqualTo(1);
    assertThat(memory.tag(run)).isEqualTo(77);
    submit(Direction.HOST_TO_DEVICE, run, 5);
    copier.advance();

    assertThat(device.tag(0, 5)).isEqualTo(77);
    assertThat(listener.reports()).hasSize(2);
    memory.free(run);
    memory.assertDrained();
    device.close();
    copier.close();
    memory.close();
    assertThat(memory.isClosed()).isTrue();
  }

  @Test
  void advance_delayedPlans_endInOrderOfTheirTimes() {
    long first = memory.allocate(PAGE, -1);
    long second = memory.allocate(PAGE, -1);
    script.delayNanos.put(1L, 2_000_000L);
    script.delayNanos.put(2L, 1_000_000L);
    submit(Direction.DEVICE_TO_HOST, first, 1);
    submit(Direction.DEVICE_TO_HOST, second, 2);

    assertThat(copier.advance()).isZero();
    clock.advance(Duration.ofMillis(1));
    assertThat(copier.advance()).isEqualTo(1);
    assertThat(copier.running()).extracting(CopyPlan::id).containsExactly(1L);
    clock.advance(Duration.ofMillis(1));
    assertThat(copier.advance()).isEqualTo(1);
    assertThat(listener.reports()).extracting(report -> report.plan().id()).containsExactly(2L, 1L);
  }

  @Test
  void complete_failedPlan_movesNothingAndReleases() {
    long run = memory.allocate(PAGE, -1);
    device.setTag(0, 1, 5);
    script.outcomes.put(1L, new CopyOutcome.Failed("planted"));
    submit(Direction.DEVICE_TO_HOST, run, 1);

    copier.complete(0);

    assertThat(memory.tag(run)).isEqualTo(SimulatedMemoryTier.UNWRITTEN);
    memory.free(run);
  }

  @Test
  void complete_unknownPlan_keepsItsRunsForGood() {
    long run = memory.allocate(PAGE, -1);
    script.outcomes.put(1L, new CopyOutcome.Unknown("planted"));
    submit(Direction.DEVICE_TO_HOST, run, 1);

    copier.complete(0);

    assertThatThrownBy(() -> memory.free(run)).isInstanceOf(AssertionError.class);
    assertThatThrownBy(device::close).isInstanceOf(AssertionError.class);
  }

  @Test
  void free_runUnderACopy_isCaught() {
    long run = memory.allocate(PAGE, -1);
    submit(Direction.HOST_TO_DEVICE, run, 1);

    assertThatThrownBy(() -> memory.free(run))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("under a copy");
    assertThatThrownBy(device::close).hasMessageContaining("[1] plans");
    assertThatThrownBy(memory::close).isInstanceOf(AssertionError.class);
    assertThatThrownBy(copier::close).isInstanceOf(AssertionError.class);
  }

  @Test
  void submit_writerBesideReaders_isCaughtButReadersShare() {
    long run = memory.allocate(PAGE, -1);
    submit(Direction.HOST_TO_DEVICE, run, 1);
    submit(Direction.HOST_TO_DEVICE, run, 2);

    assertThatThrownBy(() -> submit(Direction.DEVICE_TO_HOST, run, 3))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("second copy");
  }

  @Test
  void submit_freedRun_isCaught() {
    long run = memory.allocate(PAGE, -1);
    CopyPlan plan = plan(Direction.HOST_TO_DEVICE, run, 1);
    memory.free(run);

    assertThatThrownBy(() -> copier.submit(plan, listener))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no run is allocated");
  }

  @Test
  void submit_closedDevice_isCaught() {
    long run = memory.allocate(PAGE, -1);
    device.close();

    assertThatThrownBy(() -> submit(Direction.HOST_TO_DEVICE, run, 1))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("closed device memory");
    device = openDevice();
    assertThatThrownBy(() -> submit(Direction.HOST_TO_DEVICE, run, 8))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("device page");
  }

  @Test
  void submit_moreThanItsCapacity_isRefused() {
    for (int i = 0; i < 4; i++) {
      submit(Direction.DEVICE_TO_HOST, memory.allocate(PAGE, -1), i);
    }
    CopyPlan fifth = plan(Direction.DEVICE_TO_HOST, memory.allocate(PAGE, -1), 4);

    assertThat(copier.submit(fifth, listener)).isFalse();
    copier.complete(2);
    assertThat(copier.submit(fifth, listener)).isTrue();
  }

  @Test
  void allocate_failuresPutIn_failThenServes() {
    memory.failAllocations(2);

    assertThat(memory.allocate(PAGE, -1)).isEqualTo(MemoryTier.NO_MEMORY);
    assertThat(memory.allocate(PAGE, -1)).isEqualTo(MemoryTier.NO_MEMORY);
    long run = memory.allocate(PAGE, -1);
    assertThat(memory.allocated()).containsExactly(run);
    assertThat(memory.usage().allocationFailures()).isEqualTo(2);
    assertThatThrownBy(memory::assertDrained).isInstanceOf(AssertionError.class);
  }

  @Test
  void open_failurePutIn_isRefused() {
    script.openFailure = "planted";

    assertThatThrownBy(this::openDevice).hasMessage("planted");
  }

  @Test
  void announceByHand_chunks_comeWhenTold() {
    SimulatedMemoryTier tier = new SimulatedMemoryTier(PAGE, 2);
    RecordingChunkListener chunks = new RecordingChunkListener();
    tier.announceByHand();
    tier.prepare(chunks);
    assertThat(chunks.touched()).isEmpty();

    tier.announce(1);
    tier.announceFailure(0, new IllegalStateException("planted"));

    assertThat(chunks.touched()).containsExactly(tier.chunks().get(1));
    assertThat(chunks.failures()).containsOnlyKeys(tier.chunks().get(0));
    assertThatThrownBy(() -> tier.activate(tier.chunks().get(0)))
        .isInstanceOf(IllegalStateException.class);
  }

  private void submit(Direction direction, long run, int page) {
    assertThat(copier.submit(plan(direction, run, page), listener)).isTrue();
  }

  private CopyPlan plan(Direction direction, long run, int page) {
    return new CopyPlan(
        nextPlan++,
        device,
        SLOT,
        direction,
        false,
        CopyPlan.NO_EVENT,
        new long[] {memory.address(run)},
        new int[] {page});
  }

  private SimulatedDevice openDevice() {
    DeviceMemory opened = copier.open(new SharedMemory(1, 1, LAYOUT.deviceBytes()), LAYOUT);
    return (SimulatedDevice) opened;
  }

  private static final class Script implements CopyScript {
    private final Map<Long, Long> delayNanos = new HashMap<>();
    private final Map<Long, CopyOutcome> outcomes = new HashMap<>();
    private @Nullable String openFailure;

    @Override
    public long delayNanos(CopyPlan plan) {
      return delayNanos.getOrDefault(plan.id(), 0L);
    }

    @Override
    public CopyOutcome outcome(CopyPlan plan) {
      return outcomes.getOrDefault(plan.id(), new CopyOutcome.Done());
    }

    @Override
    public @Nullable String openFailure(DeviceMemoryDescriptor descriptor) {
      return openFailure;
    }
  }
}
