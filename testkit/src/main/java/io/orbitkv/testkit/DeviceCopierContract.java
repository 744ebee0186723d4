package io.orbitkv.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.testkit.memory.TestDevice;
import io.orbitkv.testkit.pattern.PagePattern;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link DeviceCopier} must do. Extend it, say how a copier and a pretended worker's
 * memory are made, and run it: each test gets a copier of its own, which the kit closes.
 *
 * <p>Two chunks of host memory, adjacent, are registered as two ranges. Every page holds a {@link
 * PagePattern}, so that each wrong byte shows.
 */
public abstract class DeviceCopierContract {
  /** Capacity of the queue that {@link #createCopier} is asked for. */
  protected static final int QUEUE_PLANS = 4;

  private static final int CHUNK_BYTES = 4 << 20;
  private static final int PAGES = 16;
  private static final byte UNTOUCHED = 0x5A;

  private final List<DeviceMemory> memories = new ArrayList<>();
  private final List<TestDevice> devices = new ArrayList<>();
  private TestPluginContext context = new TestPluginContext("under-test");
  private Fixture fixture = Fixture.NONE;
  private long nextPlan = 1;

  /** For subclasses. */
  protected DeviceCopierContract() {}

  /**
   * Makes the copier under test.
   *
   * @param queuePlans most plans that it may accept before one has reported
   */
  protected abstract DeviceCopier createCopier(int queuePlans, PluginContext context);

  /**
   * Makes a worker's memory of a kind that the copier opens; closed by the kit.
   *
   * @param bytes positive
   */
  protected abstract TestDevice createDevice(long bytes);

  /** Copier and host memory of the present test. */
  private record Fixture(DeviceCopier copier, Arena arena, MemorySegment host) {
    private static final Fixture NONE =
        new Fixture(new NoCopier(), Arena.global(), MemorySegment.NULL);
  }

  @BeforeEach
  @SuppressWarnings("MustBeClosedChecker") // The arena is closed after the test.
  final void openCopier() {
    context = new TestPluginContext("under-test");
    Arena arena = Arena.ofShared();
    MemorySegment host = arena.allocate(2L * CHUNK_BYTES, SlotLayout.RUN_ALIGNMENT);
    fixture = new Fixture(createCopier(QUEUE_PLANS, context), arena, host);
    for (int i = 0; i < 2; i++) {
      long address = host.address() + (long) i * CHUNK_BYTES;
      fixture.copier().registerHostMemory(new HostChunk(i, address, CHUNK_BYTES, -1));
    }
  }

  @AfterEach
  final void closeCopier() {
    memories.forEach(DeviceMemory::close);
    fixture.copier().close();
    assertThat(context.runningThreads()).as("threads after close").isEmpty();
    context.close();
    devices.forEach(TestDevice::close);
    fixture.arena().close();
  }

  /** The scope of the present test. */
  protected final TestPluginContext context() {
    return context;
  }

  /** The copier of the present test. */
  protected final DeviceCopier copier() {
    return fixture.copier();
  }

  /** Makes a worker's memory for a layout. */
  protected final TestDevice newDevice(WorkerLayout layout) {
    TestDevice device = createDevice(layout.deviceBytes());
    devices.add(device);
    return device;
  }

  /** Opens a worker's memory; the kit closes it. */
  protected final DeviceMemory openDevice(TestDevice device, WorkerLayout layout) {
    DeviceMemory memory = copier().open(device.descriptor(), layout);
    memories.add(memory);
    return memory;
  }

  /** Native address of a run in the registered host memory. */
  protected final long hostAddress(long offset) {
    return fixture.host().address() + offset;
  }

  /** A plan over pages whose runs lie one after another from a host offset on. */
  protected final CopyPlan plan(
      DeviceMemory memory, SlotLayout slot, Direction direction, long hostOffset, int... pages) {
    long[] addresses =
        IntStream.range(0, pages.length)
            .mapToLong(i -> hostAddress(hostOffset + i * slot.runBytes()))
            .toArray();
    return new CopyPlan(
        nextPlan++, memory, slot, direction, false, CopyPlan.NO_EVENT, addresses, pages);
  }

  /** One layer whose page is one piece. */
  protected static WorkerLayout adjacent(int segmentBytes) {
    return layout(new LayerLayout("layer.0", 0, 0, PAGES, segmentBytes, 1, 0, segmentBytes));
  }

  /** A layout of one rank and one group. */
  protected static WorkerLayout layout(LayerLayout... layers) {
    return new WorkerLayout(
        0, 1, 16, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), List.of(layers));
  }

  @Test
  void copy_eachLayoutBothWays_movesEveryByteAndNoOther() {
    List<WorkerLayout> layouts =
        List.of(
            adjacent(4096),
            adjacent(100_000),
            adjacent(17),
            // All K before all V, pages of an odd size, a gap between the layers.
            layout(
                new LayerLayout("b", 0, 0, PAGES, 1001, 2, 1001L * PAGES, 1001),
                new LayerLayout("a", 0, 3003L * PAGES, PAGES, 513, 2, 513L * PAGES, 513)),
            // K and V of a page side by side, with room behind them.
            layout(new LayerLayout("a", 0, 4096, PAGES, 2048, 2, 2048, 8192)),
            // Two layers interleaved, page by page: one fragment over both.
            layout(
                new LayerLayout("a", 0, 0, PAGES, 512, 1, 0, 1024),
                new LayerLayout("b", 0, 512, PAGES, 512, 1, 0, 1024)));
    for (WorkerLayout layout : layouts) {
      checkRoundTrip(layout);
    }
  }

  private void checkRoundTrip(WorkerLayout layout) {
    TestDevice device = newDevice(layout);
    DeviceMemory memory = openDevice(device, layout);
    SlotLayout slot = layout.slots().getFirst();
    fillDevice(device, layout);
    fixture.host().fill(UNTOUCHED);
    for (int page = 0; page < PAGES; page++) {
      writeDevicePage(device, slot, page, pattern(page));
    }

    int[] sources = {3, 0, 15, 7};
    run(plan(memory, slot, Direction.DEVICE_TO_HOST, 0, sources));

    for (int i = 0; i < sources.length; i++) {
      pattern(sources[i]).verify(hostRun(i * slot.runBytes(), slot));
    }
    checkUntouched(fixture.host().asSlice(sources.length * slot.runBytes()));

    int[] targets = {1, 2, 4, 8};
    run(plan(memory, slot, Direction.HOST_TO_DEVICE, 0, targets));

    for (int page = 0; page < PAGES; page++) {
      int content = page;
      for (int i = 0; i < targets.length; i++) {
        content = targets[i] == page ? sources[i] : content;
      }
      pattern(content).verify(readDevicePage(device, slot, page));
    }
    checkGaps(device, layout);
  }

  @Test
  void copy_accepted_isReportedOnceOnAThreadOfTheCopier() {
    WorkerLayout layout = adjacent(4096);
    SlotLayout slot = layout.slots().getFirst();
    DeviceMemory memory = openDevice(newDevice(layout), layout);
    RecordingCopyListener listener = new RecordingCopyListener();
    int plans = 200;

    int accepted = 0;
    while (accepted < plans) {
      CopyPlan plan =
          plan(
              memory,
              slot,
              accepted % 2 == 0 ? Direction.DEVICE_TO_HOST : Direction.HOST_TO_DEVICE,
              accepted * slot.runBytes(),
              accepted % PAGES);
      while (!copier().submit(plan, listener)) {
        // The queue is full: some accepted plan has still to report.
        listener.await(Math.max(1, accepted - QUEUE_PLANS + 1));
      }
      accepted++;
    }
    List<RecordingCopyListener.Report> reports = listener.await(plans);

    assertThat(reports).hasSize(plans);
    assertThat(reports).extracting(report -> report.plan().id()).doesNotHaveDuplicates();
    assertThat(reports)
        .allSatisfy(report -> {
          assertThat(report.outcome()).isEqualTo(new CopyOutcome.Done());
          assertThat(report.thread()).isNotEqualTo(Thread.currentThread());
        });
  }

  @Test
  void copy_devicePageOutsideOfTheLayout_failsAndMovesNothing() {
    WorkerLayout layout = adjacent(4096);
    SlotLayout slot = layout.slots().getFirst();
    DeviceMemory memory = openDevice(newDevice(layout), layout);
    fixture.host().fill(UNTOUCHED);

    for (int page : new int[] {PAGES, -1, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertFailed(plan(memory, slot, Direction.DEVICE_TO_HOST, 0, 0, page));
    }
    checkUntouched(fixture.host());
  }

  @Test
  void copy_hostRunOutsideOfRegisteredMemory_fails() {
    WorkerLayout layout = adjacent(8192);
    SlotLayout slot = layout.slots().getFirst();
    DeviceMemory memory = openDevice(newDevice(layout), layout);

    assertFailed(plan(memory, slot, Direction.HOST_TO_DEVICE, 2L * CHUNK_BYTES, 0));
    assertFailed(plan(memory, slot, Direction.HOST_TO_DEVICE, 2L * CHUNK_BYTES - 4096, 0));
    assertFailed(plan(memory, slot, Direction.HOST_TO_DEVICE, -4096, 0));
  }

  @Test
  void copy_hostRunAcrossTwoRegisteredRanges_fails() {
    WorkerLayout layout = adjacent(8192);
    SlotLayout slot = layout.slots().getFirst();
    DeviceMemory memory = openDevice(newDevice(layout), layout);

    assertFailed(plan(memory, slot, Direction.HOST_TO_DEVICE, CHUNK_BYTES - 4096, 0));
    run(plan(memory, slot, Direction.HOST_TO_DEVICE, CHUNK_BYTES - 8192, 0));
    run(plan(memory, slot, Direction.HOST_TO_DEVICE, CHUNK_BYTES, 0));
  }

  @Test
  void copy_afterAFailedOne_succeeds() {
    WorkerLayout layout = adjacent(4096);
    SlotLayout slot = layout.slots().getFirst();
    TestDevice device = newDevice(layout);
    DeviceMemory memory = openDevice(device, layout);
    writeDevicePage(device, slot, 5, pattern(5));

    assertFailed(plan(memory, slot, Direction.DEVICE_TO_HOST, 0, PAGES));
    run(plan(memory, slot, Direction.DEVICE_TO_HOST, 0, 5));

    pattern(5).verify(hostRun(0, slot));
  }

  @Test
  void open_memorySmallerThanTheLayout_isRefused() {
    WorkerLayout large = adjacent(8192);
    TestDevice device = newDevice(adjacent(4096));

    assertThatThrownBy(() -> copier().open(device.descriptor(), large))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("[" + large.deviceBytes() + "]");
  }

  @Test
  void open_kindOfAnotherCopier_isRefused() {
    DeviceMemoryDescriptor foreign =
        copier().memoryKind().equals(DeviceMemoryDescriptor.CudaIpc.KIND)
            ? new DeviceMemoryDescriptor.SharedMemory(1, 1, 1 << 20)
            : new DeviceMemoryDescriptor.CudaIpc(
                "GPU-0",
                List.of(new DeviceMemoryDescriptor.CudaIpc.Allocation("00".repeat(64), 0, 1 << 20)),
                List.of());

    assertThatThrownBy(() -> copier().open(foreign, adjacent(4096)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void open_twoWorkers_keepsTheirBytesApart() {
    WorkerLayout layout = adjacent(4096);
    SlotLayout slot = layout.slots().getFirst();
    TestDevice first = newDevice(layout);
    TestDevice second = newDevice(layout);
    DeviceMemory firstMemory = openDevice(first, layout);
    DeviceMemory secondMemory = openDevice(second, layout);
    writeDevicePage(first, slot, 2, pattern(1));
    writeDevicePage(second, slot, 2, pattern(2));

    run(plan(firstMemory, slot, Direction.DEVICE_TO_HOST, 0, 2));
    run(plan(secondMemory, slot, Direction.DEVICE_TO_HOST, 4096, 2));
    run(plan(secondMemory, slot, Direction.HOST_TO_DEVICE, 0, 3));

    pattern(1).verify(hostRun(0, slot));
    pattern(2).verify(hostRun(4096, slot));
    pattern(1).verify(readDevicePage(second, slot, 3));
  }

  /** Runs a plan to its end and expects success. */
  protected final void run(CopyPlan plan) {
    assertThat(outcome(plan)).isEqualTo(new CopyOutcome.Done());
  }

  /** Runs a plan to its end and expects failure with a message. */
  protected final void assertFailed(CopyPlan plan) {
    assertThat(outcome(plan))
        .isInstanceOfSatisfying(
            CopyOutcome.Failed.class, failed -> assertThat(failed.message()).isNotBlank());
  }

  /** Runs a plan to its end. */
  protected final CopyOutcome outcome(CopyPlan plan) {
    RecordingCopyListener listener = new RecordingCopyListener();
    assertThat(copier().submit(plan, listener)).isTrue();
    List<RecordingCopyListener.Report> reports = listener.await(1);
    assertThat(reports).hasSize(1);
    return reports.getFirst().outcome();
  }

  /** The payload of a run at a host offset. */
  protected final MemorySegment hostRun(long offset, SlotLayout slot) {
    return fixture.host().asSlice(offset, slot.payloadBytes());
  }

  /** Writes a page as its engine would. */
  protected static void writeDevicePage(
      TestDevice device, SlotLayout slot, int page, PagePattern content) {
    slot.forEachFragment(
        page,
        (runOffset, deviceOffset, bytes) -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment fragment = arena.allocate(bytes);
            content.fill(fragment, runOffset);
            device.write(deviceOffset, fragment);
          }
        });
  }

  /** Reads a page as its engine would, in the order of a run. */
  protected static MemorySegment readDevicePage(TestDevice device, SlotLayout slot, int page) {
    MemorySegment run = MemorySegment.ofArray(new byte[Math.toIntExact(slot.payloadBytes())]);
    slot.forEachFragment(
        page,
        (runOffset, deviceOffset, bytes) ->
            device.read(deviceOffset, run.asSlice(runOffset, bytes)));
    return run;
  }

  /** The content of a page by a number. */
  protected static PagePattern pattern(int number) {
    return new PagePattern(new PageKey(number + 1L, 7), number, 0);
  }

  private static void fillDevice(TestDevice device, WorkerLayout layout) {
    byte[] bytes = new byte[Math.toIntExact(layout.deviceBytes())];
    Arrays.fill(bytes, UNTOUCHED);
    device.write(0, MemorySegment.ofArray(bytes));
  }

  /** Bytes of the device that belong to no page are as they were. */
  private static void checkGaps(TestDevice device, WorkerLayout layout) {
    byte[] bytes = new byte[Math.toIntExact(layout.deviceBytes())];
    device.read(0, MemorySegment.ofArray(bytes));
    for (SlotLayout slot : layout.slots()) {
      for (int page = 0; page < slot.devicePages(); page++) {
        slot.forEachFragment(
            page,
            (runOffset, deviceOffset, length) ->
                Arrays.fill(bytes, (int) deviceOffset, (int) (deviceOffset + length), UNTOUCHED));
      }
    }
    checkUntouched(MemorySegment.ofArray(bytes));
  }

  private static void checkUntouched(MemorySegment segment) {
    byte[] expected = new byte[Math.toIntExact(segment.byteSize())];
    Arrays.fill(expected, UNTOUCHED);
    assertThat(segment.mismatch(MemorySegment.ofArray(expected))).as("touched byte").isEqualTo(-1);
  }

  /** Stands where no test runs. */
  private static final class NoCopier implements DeviceCopier {
    @Override
    public String memoryKind() {
      return "none";
    }

    @Override
    public void registerHostMemory(HostChunk chunk) {
      throw new IllegalStateException("no test runs");
    }

    @Override
    public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
      throw new IllegalStateException("no test runs");
    }

    @Override
    public boolean submit(CopyPlan plan, CopyListener listener) {
      throw new IllegalStateException("no test runs");
    }

    @Override
    public void close() {}
  }
}
