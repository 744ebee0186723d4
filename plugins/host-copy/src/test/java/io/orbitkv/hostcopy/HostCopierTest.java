package io.orbitkv.hostcopy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceCopier.CopyListener;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.SharedMemory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.RecordingCopyListener;
import io.orbitkv.testkit.TestPluginContext;
import io.orbitkv.testkit.memory.SealedMemory;
import io.orbitkv.testkit.memory.SealedMemoryProcess;
import io.orbitkv.testkit.pattern.PagePattern;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class HostCopierTest {
  private static final int PAGE_BYTES = 64 << 10;
  private static final int PAGES = 64;
  private static final WorkerLayout LAYOUT = layout(PAGES);
  private static final SlotLayout SLOT = LAYOUT.slots().getFirst();
  private static final int HOST_BYTES = PAGES * PAGE_BYTES;

  private final TestPluginContext context = new TestPluginContext("host-copy");
  private final RecordingCopyListener listener = new RecordingCopyListener();
  private final Arena arena = Arena.ofShared();
  private MemorySegment host = MemorySegment.NULL;
  private long nextPlan = 1;

  @BeforeEach
  void allocateHostMemory() {
    host = arena.allocate(HOST_BYTES, SlotLayout.RUN_ALIGNMENT);
  }

  @AfterEach
  void closeScope() {
    context.close();
    arena.close();
  }

  @Test
  void plugin_offers_theCopierHostCopy() {
    assertThat(new HostCopyPlugin().deviceCopiers())
        .singleElement()
        .satisfies(factory -> {
          assertThat(factory.name()).isEqualTo("host-copy");
          assertThat(factory.settings()).isEqualTo(HostCopySettings.class);
        });
  }

  @Test
  void open_fileThatCanStillBeTruncated_isRefusedWithTheRemedy() {
    try (HostCopier copier = copier(1, 8)) {
      for (int seals :
          new int[] {0, SealedMemory.SEAL_GROW, SealedMemory.SEAL_SHRINK, SealedMemory.SEAL_SEAL}) {
        try (SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes(), seals)) {
          assertThatThrownBy(() -> copier.open(memory.descriptor(), LAYOUT))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("F_SEAL_SHRINK")
              .hasMessageContaining("[" + seals + "]");
        }
      }
    }
  }

  @Test
  void open_fileSmallerThanItsDescriptorSays_isRefused() {
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(4096)) {
      assertThatThrownBy(() ->
              copier.open(
                  new SharedMemory(
                      memory.descriptor().pid(), memory.fileDescriptor(), LAYOUT.deviceBytes()),
                  LAYOUT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("[4096]")
          .hasMessageContaining("ftruncate");
    }
  }

  @Test
  void open_fileSealedAgainstWriting_isRefused() {
    int seals = SealedMemory.SEAL_GROW | SealedMemory.SEAL_SHRINK | SealedMemory.SEAL_FUTURE_WRITE;
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes(), seals)) {
      assertThatThrownBy(() -> copier.open(memory.descriptor(), LAYOUT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("sealed against writing");
    }
  }

  @Test
  void open_whatIsNoMemoryFile_isRefused() {
    try (HostCopier copier = copier(1, 8)) {
      long pid = ProcessHandle.current().pid();
      for (int descriptor : new int[] {-1, 1 << 20}) {
        assertThatThrownBy(() -> copier.open(shared(pid, descriptor), LAYOUT))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThatThrownBy(() -> copier.open(shared(-5, 0), LAYOUT))
          .isInstanceOf(IllegalArgumentException.class);
      // The standard input of a test is no memory file, whatever it is.
      assertThatThrownBy(() -> copier.open(shared(pid, 0), LAYOUT))
          .isInstanceOfAny(IllegalArgumentException.class, IllegalStateException.class);
    }
  }

  @Test
  void open_deviceTerminalPipeOrFile_isRefusedByItsKindUnopened(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Path file = Files.createFile(folder.resolve("memfd:file"));
    try (HostCopier copier = copier(1, 8)) {
      for (String path :
          new String[] {
            "/dev/null", "/dev/zero", "/dev/ptmx", pipe.toString(), file.toString(), "/proc/self"
          }) {
        // A folder opens for reading only, and so does what a path leads to under O_PATH.
        int flags = path.equals("/proc/self") ? Libc.O_PATH : Libc.O_RDWR;
        int descriptor = Libc.open(path, flags | Libc.O_NONBLOCK | Libc.O_CLOEXEC);
        assertThat(descriptor).as(path).isNotNegative();
        try {
          assertThatThrownBy(
                  () -> copier.open(shared(ProcessHandle.current().pid(), descriptor), LAYOUT))
              .as(path)
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("], not a memory file: make it with memfd_create");
        } finally {
          assertThat(Libc.close(descriptor)).isZero();
        }
      }
      assertThat(context.meters().gauge("mapped_bytes")).isZero();
    }
  }

  @Test
  void open_refused_leavesNoDescriptorOpen() throws IOException {
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes(), 0)) {
      long before = memoryFiles();
      for (int i = 0; i < 10; i++) {
        assertThatThrownBy(() -> copier.open(memory.descriptor(), LAYOUT))
            .isInstanceOf(IllegalArgumentException.class);
      }
      assertThat(memoryFiles()).isEqualTo(before);
    }
  }

  /** As root another user's process is made; as anybody else, root's first process is one. */
  @Test
  void open_processOfAnotherUser_isRefusedWithTheRemedy() throws IOException {
    try (HostCopier copier = copier(1, 8)) {
      Process other = null;
      long pid = 1;
      if (Libc.geteuid() == 0) {
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "setpriv is needed");
        other =
            new ProcessBuilder(
                    "/usr/bin/setpriv", "--reuid=65534", "--clear-groups", "sh", "-c", "echo; cat")
                .start();
        // Its line of output comes after the change of the user.
        assertThat(other.getInputStream().read()).isEqualTo('\n');
        pid = other.pid();
      }
      long foreign = pid;
      try {
        assertThatThrownBy(() -> copier.open(shared(foreign, 0), LAYOUT))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining("process [" + foreign + "] of the device memory belongs to")
            .hasMessageContaining("as the same user");
      } finally {
        if (other != null) {
          other.destroyForcibly();
        }
      }
    }
  }

  private static long memoryFiles() throws IOException {
    long count = 0;
    try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path descriptor : descriptors) {
        count += isMemoryFile(descriptor) ? 1 : 0;
      }
    }
    return count;
  }

  private static boolean isMemoryFile(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString().startsWith("/memfd:orbitkv-test");
    } catch (IOException gone) {
      // The descriptor of the listing itself.
      return false;
    }
  }

  @Test
  void submit_planThatWaitsForAnEvent_failsAndSaysWhy() {
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory device = copier.open(memory.descriptor(), LAYOUT)) {
      CopyPlan plan =
          new CopyPlan(
              1,
              device,
              SLOT,
              Direction.HOST_TO_DEVICE,
              false,
              17,
              new long[] {host.address()},
              new int[] {0});
      assertThat(copier.submit(plan, listener)).isTrue();
      assertThat(listener.await(1).getFirst().outcome())
          .isInstanceOfSatisfying(
              CopyOutcome.Failed.class,
              failed -> assertThat(failed.message()).contains("[17]").contains("no events"));
    }
  }

  @Test
  void submit_slotBeyondTheMemory_failsBeforeAnyByteMoves() {
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory device = copier.open(memory.descriptor(), LAYOUT)) {
      SlotLayout larger = layout(PAGES + 1).slots().getFirst();
      assertThat(copier.submit(plan(device, larger, Direction.DEVICE_TO_HOST, 0, 0), listener))
          .isTrue();
      assertThat(listener.await(1).getFirst().outcome()).isInstanceOf(CopyOutcome.Failed.class);
    }
  }

  @Test
  void submit_fullQueue_isRefusedAndAcceptedAfterAReport() {
    try (HostCopier copier = copier(1, 2);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory device = copier.open(memory.descriptor(), LAYOUT)) {
      Gate gate = new Gate();
      assertThat(copier.submit(plan(device, 0), gate)).isTrue();
      gate.awaitReached();
      // The only thread stands in the gate, so nothing that is accepted now can end.
      assertThat(copier.submit(plan(device, 1), listener)).isTrue();
      assertThat(copier.submit(plan(device, 2), listener)).isTrue();
      assertThat(copier.submit(plan(device, 3), listener)).isFalse();
      assertThat(context.meters().gauge("queued_plans")).isEqualTo(2);
      gate.open();
      listener.await(1);
      while (!copier.submit(plan(device, 3), listener)) {
        Thread.onSpinWait();
      }
      assertThat(listener.await(3)).hasSize(3);
    }
  }

  @Test
  void close_memoryUnderAPlan_isRefusedAndLeavesItMapped() {
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes())) {
      DeviceMemory device = copier.open(memory.descriptor(), LAYOUT);
      assertThat(context.meters().gauge("mapped_bytes")).isEqualTo(LAYOUT.deviceBytes());
      Gate gate = new Gate();
      assertThat(copier.submit(plan(device, 0), gate)).isTrue();
      gate.awaitReached();
      assertThat(copier.submit(plan(device, 1), listener)).isTrue();

      assertThatThrownBy(device::close)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("[1]");
      gate.open();
      assertThat(listener.await(1).getFirst().outcome()).isEqualTo(new CopyOutcome.Done());
      device.close();
      assertThat(context.meters().gauge("mapped_bytes")).isZero();
      assertThatThrownBy(() -> copier.submit(plan(device, 1), listener))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void completed_listenerClosesTheMemory_isAllowed() {
    try (HostCopier copier = copier(2, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes())) {
      DeviceMemory device = copier.open(memory.descriptor(), LAYOUT);
      CopyListener closing =
          (plan, outcome) -> {
            device.close();
            listener.completed(plan, outcome);
          };
      assertThat(copier.submit(plan(device, 0), closing)).isTrue();
      assertThat(listener.await(1).getFirst().outcome()).isEqualTo(new CopyOutcome.Done());
    }
    assertThat(context.log().messages(Level.WARNING)).isEmpty();
  }

  @Test
  void completed_listenerThrows_theThreadGoesOn() {
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory device = copier.open(memory.descriptor(), LAYOUT)) {
      CopyListener throwing =
          (plan, outcome) -> {
            throw new IllegalStateException("planted");
          };
      assertThat(copier.submit(plan(device, 0), throwing)).isTrue();
      assertThat(copier.submit(plan(device, 1), listener)).isTrue();
      listener.await(1);
    }
    assertThat(context.log().messages(Level.ERROR)).hasSize(1);
  }

  /** The meters stand for anything that may throw while a slice is copied. */
  @Test
  void copy_errorInACopyingThread_failsThePlanAndTheThreadGoesOn() {
    List<Error> planted = new ArrayList<>(List.of(new StackOverflowError("planted")));
    FaultyContext faulty = new FaultyContext(context, "restore_bytes_total", planted);
    try (HostCopier copier = new HostCopier(settings(1, 8), faulty);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory device = copier.open(memory.descriptor(), LAYOUT)) {
      copier.registerHostMemory(new HostChunk(0, host.address(), HOST_BYTES, -1));
      assertThat(copier.submit(plan(device, 0), listener)).isTrue();
      assertThat(listener.await(1).getFirst().outcome())
          .isInstanceOfSatisfying(
              CopyOutcome.Failed.class,
              failed -> assertThat(failed.message()).contains("StackOverflowError: planted"));
      assertThat(copier.submit(plan(device, 1), listener)).isTrue();
      assertThat(listener.await(2).getLast().outcome()).isEqualTo(new CopyOutcome.Done());
    }
    assertThat(context.uncaught()).isEmpty();
  }

  @Test
  void report_errorInMetersOrListener_thePlanIsReportedAndTheThreadGoesOn() {
    List<Error> planted = new ArrayList<>(List.of(new AssertionError("planted")));
    FaultyContext faulty = new FaultyContext(context, "plans_total", planted);
    try (HostCopier copier = new HostCopier(settings(1, 8), faulty);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory device = copier.open(memory.descriptor(), LAYOUT)) {
      copier.registerHostMemory(new HostChunk(0, host.address(), HOST_BYTES, -1));
      CopyListener throwing =
          (plan, outcome) -> {
            listener.completed(plan, outcome);
            throw new AssertionError("planted too");
          };
      assertThat(copier.submit(plan(device, 0), throwing)).isTrue();
      assertThat(copier.submit(plan(device, 1), listener)).isTrue();
      assertThat(listener.await(2))
          .allSatisfy(report -> assertThat(report.outcome()).isEqualTo(new CopyOutcome.Done()));
    }
    assertThat(context.log().messages(Level.ERROR)).hasSize(2);
    assertThat(context.uncaught()).isEmpty();
  }

  @Test
  void submit_memoryOfAnotherCopier_isRefused() {
    try (HostCopier copier = copier(1, 8);
        HostCopier other = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory foreign = other.open(memory.descriptor(), LAYOUT)) {
      DeviceMemory unknown = () -> {};
      assertThatThrownBy(() -> copier.submit(plan(foreign, 0), listener))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> copier.submit(plan(unknown, 0), listener))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void registerHostMemory_overlappingRanges_isRefused() {
    try (HostCopier copier = copier(1, 8)) {
      HostChunk overlapping = new HostChunk(1, host.address() + 4096, 4096, -1);
      assertThatThrownBy(() -> copier.registerHostMemory(overlapping))
          .isInstanceOf(IllegalStateException.class);
      assertThat(context.meters().gauge("registered_bytes")).isEqualTo(HOST_BYTES);
    }
  }

  @Test
  void close_withAcceptedPlans_finishesThem() {
    try (SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes())) {
      HostCopier copier = copier(2, 64);
      DeviceMemory device = copier.open(memory.descriptor(), LAYOUT);
      for (int i = 0; i < 32; i++) {
        assertThat(copier.submit(plan(device, i), listener)).isTrue();
      }
      copier.close();
      assertThat(listener.reports()).hasSize(32);
      assertThatThrownBy(() -> copier.submit(plan(device, 0), listener))
          .isInstanceOf(IllegalStateException.class);
      device.close();
    }
  }

  @Test
  void meters_afterPlans_countBytesPlansAndDurations() {
    try (HostCopier copier = copier(1, 8);
        SealedMemory memory = SealedMemory.create(LAYOUT.deviceBytes());
        DeviceMemory device = copier.open(memory.descriptor(), LAYOUT)) {
      Gate gate = new Gate();
      assertThat(copier.submit(plan(device, 0), gate)).isTrue();
      gate.awaitReached();
      assertThat(copier.submit(plan(device, SLOT, Direction.DEVICE_TO_HOST, 0, 1, 2), listener))
          .isTrue();
      assertThat(copier.submit(plan(device, SLOT, Direction.DEVICE_TO_HOST, 0, -1), listener))
          .isTrue();
      context.clock().advance(Duration.ofMillis(7));
      gate.open();
      listener.await(2);
    }
    assertThat(context.meters().counters())
        .containsEntry("restore_bytes_total", (long) PAGE_BYTES)
        .containsEntry("publish_bytes_total", 2L * PAGE_BYTES)
        .containsEntry("plans_total", 3L)
        .containsEntry("failed_plans_total", 1L);
    assertThat(context.meters().timer("plan_duration")).containsExactly(0L, 7_000_000L, 7_000_000L);
  }

  /**
   * The worker is killed once the first of many plans has reported: its memory stays mapped, the
   * other plans end well, and what they wrote is there.
   */
  @Test
  void copy_workerIsKilledInTheMiddle_everyPlanEndsAndEveryByteIsRight() {
    try (HostCopier copier = copier(2, 64);
        SealedMemoryProcess worker = SealedMemoryProcess.start(LAYOUT.deviceBytes())) {
      int[] pages = IntStream.range(0, PAGES).toArray();
      try (DeviceMemory device = copier.open(worker.descriptor(), LAYOUT)) {
        for (int page : pages) {
          pattern(page).fill(host.asSlice((long) page * PAGE_BYTES, PAGE_BYTES));
        }
        List<CopyPlan> plans = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
          plans.add(plan(device, SLOT, Direction.HOST_TO_DEVICE, 0, pages));
        }
        CountDownLatch killed = new CountDownLatch(1);
        CopyListener holding =
            (plan, outcome) -> {
              listener.completed(plan, outcome);
              await(killed);
            };
        for (CopyPlan plan : plans) {
          assertThat(copier.submit(plan, holding)).isTrue();
        }
        listener.await(1);
        worker.kill();
        assertThat(listener.reports()).hasSizeLessThan(plans.size());
        killed.countDown();
        assertThat(listener.await(plans.size()))
            .hasSize(plans.size())
            .allSatisfy(report -> assertThat(report.outcome()).isEqualTo(new CopyOutcome.Done()));

        host.fill((byte) 0);
        RecordingCopyListener readBack = new RecordingCopyListener();
        assertThat(copier.submit(plan(device, SLOT, Direction.DEVICE_TO_HOST, 0, pages), readBack))
            .isTrue();
        readBack.await(1);
        for (int page : pages) {
          pattern(page).verify(host.asSlice((long) page * PAGE_BYTES, PAGE_BYTES));
        }
      }
      assertThatThrownBy(() -> copier.open(worker.descriptor(), LAYOUT))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  private static HostCopySettings settings(int threads, int queuePlans) {
    return new HostCopySettings(threads, queuePlans, new ByteSize(256 << 10), 8);
  }

  private HostCopier copier(int threads, int queuePlans) {
    HostCopier copier = new HostCopier(settings(threads, queuePlans), context);
    copier.registerHostMemory(new HostChunk(0, host.address(), HOST_BYTES, -1));
    return copier;
  }

  private CopyPlan plan(DeviceMemory device, int page) {
    return plan(device, SLOT, Direction.HOST_TO_DEVICE, 0, page);
  }

  private CopyPlan plan(
      DeviceMemory device, SlotLayout slot, Direction direction, long hostOffset, int... pages) {
    long[] addresses = new long[pages.length];
    for (int i = 0; i < pages.length; i++) {
      addresses[i] = host.address() + hostOffset + i * slot.runBytes();
    }
    return new CopyPlan(
        nextPlan++, device, slot, direction, false, CopyPlan.NO_EVENT, addresses, pages);
  }

  private static SharedMemory shared(long pid, int descriptor) {
    return new SharedMemory(pid, descriptor, LAYOUT.deviceBytes());
  }

  private static WorkerLayout layout(int pages) {
    return new WorkerLayout(
        0,
        1,
        16,
        -1,
        List.of(new GroupSpec(0, new GroupRule.Prefix())),
        List.of(
            new LayerLayout(
                "layer.0",
                0,
                0,
                pages,
                PAGE_BYTES / 2,
                2,
                (long) pages * (PAGE_BYTES / 2),
                PAGE_BYTES / 2)));
  }

  private static PagePattern pattern(int page) {
    return new PagePattern(new PageKey(page + 1L, 3), page, 0);
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** A listener that holds its thread until it is opened. */
  private static final class Gate implements CopyListener {
    private final CountDownLatch reached = new CountDownLatch(1);
    private final CountDownLatch opened = new CountDownLatch(1);

    @Override
    public void completed(CopyPlan plan, CopyOutcome outcome) {
      reached.countDown();
      await(opened);
    }

    void awaitReached() {
      await(reached);
    }

    void open() {
      opened.countDown();
    }

    private static void await(CountDownLatch latch) {
      HostCopierTest.await(latch);
    }
  }
}
