package io.orbitkv.cudacopy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceCopier.StageListener;
import io.orbitkv.api.copy.StagedMemory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.RecordingCopyListener;
import io.orbitkv.testkit.TestPluginContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Plans whose layers end one by one, on a pretended driver. */
class StagedCopyTest {
  private static final int SLOTS = 2;
  private static final int LAYERS = 3;
  private static final int SEGMENTS = 2;
  private static final int SEGMENT_BYTES = 512;
  private static final int LAYER_BYTES = SEGMENTS * SEGMENT_BYTES;
  private static final int PAGE_BYTES = LAYERS * LAYER_BYTES;
  private static final int PAGES = 16;
  private static final WorkerLayout LAYOUT = layout();
  private static final SlotLayout SLOT = LAYOUT.slots().getFirst();

  private final FakeCuda cuda = new FakeCuda();
  private final TestPluginContext context = new TestPluginContext("cuda-copy");
  private final Arena arena = Arena.ofShared();
  private final Heard heard = new Heard();
  private final CudaCopier copier =
      new CudaCopier(
          cuda,
          new CudaCopySettings(
              8,
              4,
              16,
              new ByteSize(PAGE_BYTES),
              2,
              Duration.ofSeconds(30),
              8,
              SLOTS,
              new ByteSize(1 << 20)),
          context,
          new ProcessEnd(context.log()) {
            @Override
            void now(String message) {}
          });
  private final FakeGpuMemory device =
      new FakeGpuMemory(cuda, List.of(LAYOUT.deviceBytes()), List.of());
  private MemorySegment host = MemorySegment.NULL;

  private static WorkerLayout layout() {
    List<LayerLayout> layers = new ArrayList<>();
    for (int i = 0; i < LAYERS; i++) {
      layers.add(
          new LayerLayout(
              "layer." + i,
              0,
              (long) i * PAGES * LAYER_BYTES,
              PAGES,
              SEGMENT_BYTES,
              SEGMENTS,
              SEGMENT_BYTES,
              LAYER_BYTES));
    }
    return new WorkerLayout(
        0, 1, 16, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), layers);
  }

  /** Hears of the submission as well. */
  private static final class Heard implements StageListener {
    final RecordingCopyListener ends = new RecordingCopyListener();
    final CountDownLatch submitted = new CountDownLatch(1);

    @Override
    public void submitted(CopyPlan plan) {
      submitted.countDown();
    }

    @Override
    public void completed(CopyPlan plan, CopyOutcome outcome) {
      ends.completed(plan, outcome);
    }

    CopyOutcome end() {
      return ends.await(1).getFirst().outcome();
    }
  }

  @BeforeEach
  void register() {
    host = arena.allocate(1 << 20, 4096);
    for (long i = 0; i < host.byteSize(); i++) {
      host.set(ValueLayout.JAVA_BYTE, i, (byte) (1 + i % 101));
    }
    copier.registerHostMemory(new HostChunk(0, host.address(), 1 << 20, -1));
  }

  @AfterEach
  void close() {
    cuda.stall(false);
    copier.close();
    context.close();
    device.close();
    arena.close();
    cuda.close();
  }

  private CopyPlan plan(StagedMemory memory, int stageSlot, int... pages) {
    long[] addresses = new long[pages.length];
    for (int i = 0; i < pages.length; i++) {
      addresses[i] = host.address() + (long) i * PAGE_BYTES;
    }
    return new CopyPlan(
        1, memory, SLOT, Direction.HOST_TO_DEVICE, false, 0, addresses, pages, stageSlot);
  }

  private StagedMemory open() {
    return (StagedMemory) copier.open(device.descriptor(), LAYOUT);
  }

  private long event(StagedMemory memory, int slot, int layer) {
    return cuda.openEvent(HexFormat.of().parseHex(memory.stageEvents().get(slot).get(layer)));
  }

  /** Whether a layer of a page has the bytes of the place in the plan. */
  private boolean landed(int layer, int page, int place) {
    MemorySegment bytes = arena.allocate(LAYER_BYTES);
    device.read(layer * (long) PAGES * LAYER_BYTES + (long) page * LAYER_BYTES, bytes);
    return bytes.mismatch(
            host.asSlice((long) place * PAGE_BYTES + (long) layer * LAYER_BYTES, LAYER_BYTES))
        == -1;
  }

  @Test
  void open_makesAnEventForEachLayerOfEachSlot_andDestroysThemAtTheEnd() {
    int before = cuda.liveEvents();
    StagedMemory memory = open();

    assertThat(memory.stageEvents()).hasSize(SLOTS).allMatch(slot -> slot.size() == LAYERS);
    assertThat(memory.stageEvents().stream().flatMap(List::stream)).doesNotHaveDuplicates();
    assertThat(memory.stageEvents().getFirst().getFirst()).hasSize(128);
    memory.close();
    assertThat(cuda.liveEvents()).isEqualTo(before);
  }

  @Test
  void submission_isToldAtOnce_andEachEventHappensBehindItsLayer() throws Exception {
    StagedMemory memory = open();
    cuda.stall(true);
    int[] pages = {7, 2, 11, 3, 5};

    assertThat(copier.submit(plan(memory, 1, pages), heard)).isTrue();

    assertThat(heard.submitted.await(60, TimeUnit.SECONDS))
        .as("five slices' bytes, of which two may be under way, yet nothing has moved")
        .isTrue();
    assertThat(heard.ends.reports()).isEmpty();
    for (int layer = 0; layer < LAYERS; layer++) {
      cuda.runUntil(event(memory, 1, layer));
      for (int place = 0; place < pages.length; place++) {
        for (int other = 0; other < LAYERS; other++) {
          assertThat(landed(other, pages[place], place))
              .as("layer %d when the event of %d has happened", other, layer)
              .isEqualTo(other <= layer);
        }
      }
    }
    cuda.stall(false);
    assertThat(heard.end()).isEqualTo(new CopyOutcome.Done());
    memory.close();
  }

  @Test
  void copyRefusedMidway_failsWithoutAWordOfItsSubmission() {
    StagedMemory memory = open();
    cuda.refuseAfter(5);

    copier.submit(plan(memory, 0, 7, 2, 11), heard);

    assertThat(heard.end()).isInstanceOf(CopyOutcome.Failed.class);
    assertThat(heard.submitted.getCount()).isEqualTo(1);
    memory.close();
  }

  @Test
  void copyFailedAfterTheSubmission_isToldAfterIt() throws Exception {
    StagedMemory memory = open();
    cuda.stall(true);
    copier.submit(plan(memory, 0, 7, 2), heard);
    assertThat(heard.submitted.await(60, TimeUnit.SECONDS)).isTrue();

    cuda.failOneQuery();

    assertThat(heard.end()).isInstanceOf(CopyOutcome.Failed.class);
    cuda.stall(false);
    memory.close();
  }

  @Test
  void stagedPlan_doesNotHoldUpOtherRestores() throws Exception {
    StagedMemory memory = open();
    cuda.stall(true);
    copier.submit(plan(memory, 0, 7, 2), heard);
    assertThat(heard.submitted.await(60, TimeUnit.SECONDS)).isTrue();
    Heard other = new Heard();

    copier.submit(plan(memory, CopyPlan.NO_STAGE, 4), other);

    cuda.stall(false);
    assertThat(other.end()).isEqualTo(new CopyOutcome.Done());
    assertThat(other.submitted.getCount()).as("not staged").isEqualTo(1);
    assertThat(heard.end()).isEqualTo(new CopyOutcome.Done());
    memory.close();
  }

  @Test
  void stagedPlan_withAListenerThatCannotHear_isRefused() {
    StagedMemory memory = open();

    assertThatThrownBy(() -> copier.submit(plan(memory, 0, 7), heard.ends))
        .hasMessageContaining("nobody listens");
    memory.close();
  }
}
