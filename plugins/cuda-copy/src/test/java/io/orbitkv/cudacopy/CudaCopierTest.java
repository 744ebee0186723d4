package io.orbitkv.cudacopy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.CudaIpc;
import io.orbitkv.api.copy.DeviceUnavailableException;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Faults of a GPU and events of workers, on a pretended driver. */
class CudaCopierTest {
  private static final int PAGE_BYTES = 8192;
  private static final int PAGES = 16;
  private static final Duration EVENT_TIMEOUT = Duration.ofSeconds(30);
  private static final WorkerLayout LAYOUT =
      new WorkerLayout(
          0,
          1,
          16,
          -1,
          List.of(new GroupSpec(0, new GroupRule.Prefix())),
          List.of(
              new LayerLayout("a", 0, 0, PAGES, PAGE_BYTES / 2, 1, 0, PAGE_BYTES / 2),
              new LayerLayout(
                  "b", 0, PAGES * PAGE_BYTES / 2, PAGES, PAGE_BYTES / 2, 1, 0, PAGE_BYTES / 2)));
  private static final SlotLayout SLOT = LAYOUT.slots().getFirst();

  private final FakeCuda cuda = new FakeCuda();
  private final TestPluginContext context = new TestPluginContext("cuda-copy");
  private final List<String> ends = new CopyOnWriteArrayList<>();
  private final Arena arena = Arena.ofShared();
  private final RecordingCopyListener listener = new RecordingCopyListener();
  private MemorySegment host = MemorySegment.NULL;
  private CudaCopier copier = newCopier();
  private FakeGpuMemory device = new FakeGpuMemory(cuda, List.of(LAYOUT.deviceBytes()), List.of());
  private long nextPlan = 1;

  private CudaCopier newCopier() {
    return new CudaCopier(
        cuda,
        new CudaCopySettings(
            8, 4, 16, new ByteSize(4 * PAGE_BYTES), 2, EVENT_TIMEOUT, 8, 2, new ByteSize(1 << 20)),
        context,
        new ProcessEnd(context.log()) {
          @Override
          void now(String message) {
            ends.add(message);
          }
        });
  }

  @BeforeEach
  void register() {
    host = arena.allocate(1 << 20, 4096);
    copier.registerHostMemory(new HostChunk(0, host.address(), 1 << 20, -1));
  }

  @AfterEach
  void close() {
    copier.close();
    context.close();
    device.close();
    arena.close();
    cuda.close();
  }

  private CopyPlan plan(DeviceMemory memory, Direction direction, long event, int... pages) {
    long[] addresses = new long[pages.length];
    for (int i = 0; i < pages.length; i++) {
      addresses[i] = host.address() + (long) i * PAGE_BYTES;
    }
    return new CopyPlan(nextPlan++, memory, SLOT, direction, false, event, addresses, pages);
  }

  private CopyOutcome outcome(int report) {
    return listener.await(report + 1).get(report).outcome();
  }

  @Test
  void copy_refusedMidway_failsWhenWhatIsUnderWayHasLanded() {
    DeviceMemory memory = copier.open(device.descriptor(), LAYOUT);
    cuda.refuseAfter(5);

    assertThat(copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 0, 3, 6), listener))
        .isTrue();

    assertThat(outcome(0))
        .isInstanceOfSatisfying(
            CopyOutcome.Failed.class,
            failed -> assertThat(failed.message()).contains("cuMemcpyBatchAsync", "plan [1]"));
    assertThat(ends).isEmpty();
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 1), listener);
    assertThat(outcome(1)).isEqualTo(new CopyOutcome.Done());
    memory.close();
    assertThat(cuda.openMappings()).isZero();
  }

  @Test
  void copy_failedWhileUnderWay_failsThatPlanAndSettlesTheOthers() {
    DeviceMemory memory = copier.open(device.descriptor(), LAYOUT);
    cuda.stall(true);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 0, 3), listener);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 1, 2), listener);
    cuda.failOneQuery();

    List<RecordingCopyListener.Report> reports = listener.await(2);

    assertThat(reports)
        .filteredOn(report -> report.plan().id() == 1)
        .singleElement()
        .satisfies(report -> assertThat(report.outcome()).isInstanceOf(CopyOutcome.Failed.class));
    cuda.stall(false);
    memory.close();
  }

  @Test
  void copy_failedWithSlicesStillToCome_isReportedOnce() {
    DeviceMemory memory = copier.open(device.descriptor(), LAYOUT);
    cuda.stall(true);
    // Four slices, of which two are under way and the plan waits for its next turn.
    copier.submit(
        plan(memory, Direction.DEVICE_TO_HOST, 0, IntStream.range(0, PAGES).toArray()), listener);
    cuda.failOneQuery();
    assertThat(outcome(0)).isInstanceOf(CopyOutcome.Failed.class);
    cuda.stall(false);

    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 1), listener);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 2), listener);

    assertThat(listener.await(3))
        .extracting(report -> report.plan().id())
        .containsExactly(1L, 2L, 3L);
    memory.close();
  }

  @Test
  void copy_eventThatNeverHappens_failsAfterItsTime() {
    long event = cuda.pendingEvent();
    FakeGpuMemory waiting = new FakeGpuMemory(cuda, List.of(LAYOUT.deviceBytes()), List.of(event));
    DeviceMemory memory = copier.open(waiting.descriptor(), LAYOUT);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 1, 0), listener);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 1), listener);
    assertThat(outcome(0)).as("not held up").isEqualTo(new CopyOutcome.Done());

    context.clock().advance(EVENT_TIMEOUT.plusNanos(1));

    assertThat(outcome(1))
        .isInstanceOfSatisfying(
            CopyOutcome.Failed.class,
            failed -> assertThat(failed.message()).contains("event [1]", "[30s]"));
    memory.close();
    waiting.close();
  }

  @Test
  void copy_layoutThatThrows_failsThatPlanAndTheLaneGoesOn() {
    DeviceMemory memory = copier.open(device.descriptor(), LAYOUT);
    cuda.breakNextCopy();

    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 0), listener);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 1), listener);

    assertThat(outcome(0))
        .isInstanceOfSatisfying(
            CopyOutcome.Failed.class,
            failed -> assertThat(failed.message()).contains("no such call"));
    assertThat(outcome(1)).isEqualTo(new CopyOutcome.Done());
    memory.close();
  }

  @Test
  void copy_streamThatCannotBeWaitedFor_isUnknownAndEndsTheProcess() {
    DeviceMemory memory = copier.open(device.descriptor(), LAYOUT);
    cuda.stall(true);
    copier.submit(plan(memory, Direction.HOST_TO_DEVICE, 0, 0, 3), listener);
    cuda.loseContext();

    assertThat(outcome(0)).isInstanceOf(CopyOutcome.Unknown.class);

    copier.submit(plan(memory, Direction.HOST_TO_DEVICE, 0, 5), listener);
    assertThat(outcome(1))
        .as("nothing of it was given to the GPU")
        .isInstanceOfSatisfying(
            CopyOutcome.Failed.class, failed -> assertThat(failed.message()).contains("is lost"));
    assertThat(ends).singleElement().asString().contains("cannot be waited for");
    assertThatThrownBy(memory::close)
        .as("the GPU may still use the mapping")
        .hasMessageContaining("closed under [1] plans");
  }

  @Test
  void copy_eventThatHasNotHappened_holdsUpThatPlanOnly() {
    long event = cuda.pendingEvent();
    FakeGpuMemory waiting = new FakeGpuMemory(cuda, List.of(LAYOUT.deviceBytes()), List.of(event));
    DeviceMemory memory = copier.open(waiting.descriptor(), LAYOUT);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 1, 0), listener);
    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 1), listener);

    assertThat(listener.await(1).getFirst().plan().id()).isEqualTo(2);
    waiting.write(0, MemorySegment.ofArray(new byte[] {42}));
    cuda.happen(event);

    assertThat(outcome(1)).isEqualTo(new CopyOutcome.Done());
    assertThat(host.get(java.lang.foreign.ValueLayout.JAVA_BYTE, 0))
        .as("what the worker wrote before its event")
        .isEqualTo((byte) 42);
    memory.close();
    waiting.close();
  }

  @Test
  void copy_eventThatTheWorkerDidNotRegister_fails() {
    DeviceMemory memory = copier.open(device.descriptor(), LAYOUT);

    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 1, 0), listener);

    assertThat(outcome(0))
        .isInstanceOfSatisfying(
            CopyOutcome.Failed.class,
            failed -> assertThat(failed.message()).contains("event [1]", "registered [0]"));
    memory.close();
  }

  @Test
  void copy_firstCallOnAnIdleStream_isShort() {
    DeviceMemory memory = copier.open(device.descriptor(), LAYOUT);

    copier.submit(plan(memory, Direction.DEVICE_TO_HOST, 0, 0, 2, 4, 6), listener);

    assertThat(outcome(0)).isEqualTo(new CopyOutcome.Done());
    assertThat(cuda.callSizes()).as("calls of at most 4 fragments").allMatch(size -> size <= 4);
    memory.close();
  }

  @Test
  void copy_manyFragmentsAtEqualDistances_areTheRowsOfOneCopy() {
    int layers = 20;
    int bytes = 512;
    WorkerLayout layout = layersApart(layers, bytes, 0);
    FakeGpuMemory memory = new FakeGpuMemory(cuda, List.of(layout.deviceBytes()), List.of());
    DeviceMemory opened = copier.open(memory.descriptor(), layout);

    copier.submit(
        new CopyPlan(
            nextPlan++,
            opened,
            layout.slots().getFirst(),
            Direction.HOST_TO_DEVICE,
            false,
            0,
            new long[] {host.address(), host.address() + 2L * layers * bytes},
            new int[] {3, 9}),
        listener);

    assertThat(outcome(0)).isEqualTo(new CopyOutcome.Done());
    assertThat(cuda.rowCounts()).containsExactly(layers, layers);
    assertThat(cuda.callSizes()).isEmpty();
    opened.close();
    memory.close();
  }

  @Test
  void copy_fewFragmentsAtEqualDistances_areCopiedOneByOne() {
    // Two blocks of ten layers with a gap between them: neither has the sixteen rows.
    WorkerLayout layout = layersApart(20, 512, 64);
    FakeGpuMemory memory = new FakeGpuMemory(cuda, List.of(layout.deviceBytes()), List.of());
    DeviceMemory opened = copier.open(memory.descriptor(), layout);

    copier.submit(
        new CopyPlan(
            nextPlan++,
            opened,
            layout.slots().getFirst(),
            Direction.DEVICE_TO_HOST,
            false,
            0,
            new long[] {host.address()},
            new int[] {3}),
        listener);

    assertThat(outcome(0)).isEqualTo(new CopyOutcome.Done());
    assertThat(cuda.rowCounts()).isEmpty();
    assertThat(cuda.callSizes().stream().mapToInt(Integer::intValue).sum()).isEqualTo(20);
    opened.close();
    memory.close();
  }

  /** Layers one after another on the device, with a gap in the middle. */
  private static WorkerLayout layersApart(int layers, int bytes, long gap) {
    List<LayerLayout> list = new ArrayList<>();
    for (int i = 0; i < layers; i++) {
      long offset = (long) i * PAGES * bytes + (i < layers / 2 ? 0 : gap);
      list.add(new LayerLayout("layer." + i, 0, offset, PAGES, bytes, 1, 0, bytes));
    }
    return new WorkerLayout(0, 1, 16, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), list);
  }

  @Test
  void create_withoutRoomForAContext_isNotAvailableAndSaysWhere() {
    cuda.refuseContexts();

    assertThatThrownBy(this::newCopier)
        .isInstanceOf(DeviceUnavailableException.class)
        .hasMessageContaining(FakeCuda.UUID)
        .hasMessageContaining("nvidia-smi");
  }

  @Test
  void open_wrongHandleSizeOrGpu_isRefusedWithTheReason() {
    CudaIpc good = (CudaIpc) device.descriptor();
    CudaIpc.Allocation only = good.allocations().getFirst();

    assertThatThrownBy(
            () -> copier.open(new CudaIpc("GPU-1", good.allocations(), List.of()), LAYOUT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(FakeCuda.UUID);
    assertThatThrownBy(() ->
            copier.open(
                new CudaIpc(
                    FakeCuda.UUID,
                    List.of(new CudaIpc.Allocation("00".repeat(64), 0, only.bytes())),
                    List.of()),
                LAYOUT))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cuMemCreate");
    assertThatThrownBy(() ->
            copier.open(
                new CudaIpc(
                    FakeCuda.UUID,
                    List.of(new CudaIpc.Allocation(only.handle(), only.offset(), 1L << 40)),
                    List.of()),
                LAYOUT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cuMemGetAddressRange");
    assertThat(cuda.openMappings()).isZero();
  }
}
