package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.testkit.TestPluginContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What both engines keep, over a real file. */
abstract class StoreDeviceContract {
  static final long MB = 1L << 20;
  static final long SIZE = 64 * MB;

  final RecordedCompletions completions = new RecordedCompletions();
  final TestPluginContext context = new TestPluginContext("ssd-iouring");
  final Buffers buffers = new Buffers();
  DeviceFile file;
  StoreDevice device;

  @TempDir Path folder;

  /** Settings that choose the engine. */
  abstract DeviceSettings settings();

  abstract String engine();

  @BeforeEach
  void open() throws IOException {
    file = DeviceFile.open(folder.resolve("store"), SIZE, TestFolders.direct(folder));
    start(settings());
  }

  void start(DeviceSettings settings) throws IOException {
    Devices.Started started =
        Devices.start(
            file,
            settings,
            new Devices.Environment(
                0, List.of(), context.threads(), System::nanoTime, context.log()),
            completions);
    device = started.device();
    assertThat(started.choice().engine()).isEqualTo(engine());
  }

  @AfterEach
  void close() {
    if (device != null) {
      // Without it the test was skipped.
      device.close();
    }
    file.close();
    assertThat(context.runningThreads()).isEmpty();
    context.close();
    buffers.close();
  }

  @Test
  void submit_writeThenRead_movesEveryByte() throws InterruptedException {
    MemorySegment first = buffers.filled(4096, 1);
    MemorySegment second = buffers.filled(9 * MB, 2);
    Transfer write =
        new Transfer(
            Transfer.Kind.WRITE, 3 * MB, List.of(Buffers.span(first), Buffers.span(second)));
    device.submit(List.of(write));
    completions.await(1);
    assertThat(completions.errorOf(write)).isZero();

    MemorySegment whole = buffers.allocate(4096 + 9 * MB);
    Transfer read = new Transfer(Transfer.Kind.READ, 3 * MB, List.of(Buffers.span(whole)));
    device.submit(List.of(read));
    completions.await(2);

    assertThat(completions.errorOf(read)).isZero();
    assertThat(Buffers.holds(whole.asSlice(0, 4096), 1, 0)).isTrue();
    assertThat(Buffers.holds(whole.asSlice(4096), 2, 0)).isTrue();
    DeviceUsage usage = device.usage();
    assertThat(usage.engine()).isEqualTo(engine());
    assertThat(usage.readBytes()).isEqualTo(read.bytes());
    assertThat(usage.writtenBytes()).isEqualTo(write.bytes());
    assertThat(usage.queuedReadBytes() + usage.queuedWriteBytes() + usage.oldestNanos()).isZero();
  }

  @Test
  void submit_manyAtOnce_completesEachOnce() throws InterruptedException {
    Random random = new Random(7);
    List<Transfer> writes = new ArrayList<>();
    long offset = 0;
    for (int i = 0; i < 200; i++) {
      long bytes = Buffers.BLOCK * (1L + random.nextInt(60));
      writes.add(
          new Transfer(
              Transfer.Kind.WRITE, offset, List.of(Buffers.span(buffers.filled(bytes, i)))));
      offset += bytes;
    }
    device.submit(writes);
    device.submit(List.of(new Transfer(Transfer.Kind.SYNC, 0, List.of())));
    completions.await(201);

    List<Transfer> reads = new ArrayList<>();
    List<MemorySegment> memories = new ArrayList<>();
    for (int i = 0; i < writes.size(); i++) {
      MemorySegment memory = buffers.allocate(writes.get(i).bytes());
      memories.add(memory);
      Transfer.Kind kind = i % 3 == 0 ? Transfer.Kind.READ : Transfer.Kind.SPECULATIVE_READ;
      reads.add(new Transfer(kind, writes.get(i).offset(), List.of(Buffers.span(memory))));
    }
    device.submit(reads);
    reads.forEach(device::raise);
    completions.await(401);

    assertThat(completions.all()).allMatch(end -> end.error() == 0);
    assertThat(completions.all().stream().map(TransferScheduler.Ended::transfer).distinct())
        .hasSize(401);
    for (int i = 0; i < memories.size(); i++) {
      assertThat(Buffers.holds(memories.get(i), i, 0)).isTrue();
    }
  }

  @Test
  void submit_readsAndWritesTogether_allEnd() throws InterruptedException {
    List<Transfer> both = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      both.add(
          new Transfer(Transfer.Kind.WRITE, i * MB, List.of(Buffers.span(buffers.filled(MB, i)))));
      both.add(
          new Transfer(
              Transfer.Kind.READ, (32 + i) * MB, List.of(Buffers.span(buffers.allocate(MB)))));
      both.add(new Transfer(Transfer.Kind.SYNC, 0, List.of()));
    }
    device.submit(both);
    completions.await(both.size());
    assertThat(completions.all()).allMatch(end -> end.error() == 0);
  }

  @Test
  void submit_moreSpansThanOneCallTakes_movesEveryByte() throws InterruptedException {
    MemorySegment source = buffers.filled(1500L * 2 * Buffers.BLOCK, 3);
    List<Span> spans = new ArrayList<>();
    // Every second block, so that no two pieces are adjacent in memory.
    for (int i = 0; i < 1500; i++) {
      spans.add(new Span(source.address() + 2L * i * Buffers.BLOCK, Buffers.BLOCK));
    }
    device.submit(List.of(new Transfer(Transfer.Kind.WRITE, 0, spans)));
    completions.await(1);
    MemorySegment back = buffers.allocate(1500L * Buffers.BLOCK);
    Transfer read = new Transfer(Transfer.Kind.READ, 0, List.of(Buffers.span(back)));
    device.submit(List.of(read));
    completions.await(2);

    assertThat(completions.all()).allMatch(end -> end.error() == 0);
    for (int i = 0; i < 1500; i++) {
      MemorySegment block = back.asSlice((long) i * Buffers.BLOCK, Buffers.BLOCK);
      assertThat(Buffers.holds(block, 3, 2L * i * Buffers.BLOCK)).isTrue();
    }
  }

  @Test
  void submit_fileWasTruncated_isShort() throws Exception {
    try (var channel =
        java.nio.channels.FileChannel.open(file.path(), java.nio.file.StandardOpenOption.WRITE)) {
      channel.truncate(8 * MB);
    }
    Transfer inside =
        new Transfer(Transfer.Kind.READ, 0, List.of(Buffers.span(buffers.allocate(MB))));
    Transfer across =
        new Transfer(Transfer.Kind.READ, 7 * MB, List.of(Buffers.span(buffers.allocate(4 * MB))));
    device.submit(List.of(inside, across));
    completions.await(2);

    assertThat(completions.errorOf(inside)).isZero();
    assertThat(completions.errorOf(across)).isEqualTo(StoreDevice.SHORT);
    assertThat(file.change())
        .hasValueSatisfying(change -> assertThat(change).contains("bytes now"));
  }

  @Test
  void submit_badTransfers_areRefusedAndNothingIsTaken() {
    Span good = Buffers.span(buffers.allocate(Buffers.BLOCK));
    List<Transfer> bad =
        List.of(
            new Transfer(Transfer.Kind.READ, 1, List.of(good)),
            new Transfer(Transfer.Kind.READ, SIZE, List.of(good)),
            new Transfer(Transfer.Kind.READ, -4096, List.of(good)),
            new Transfer(Transfer.Kind.READ, 0, List.of(new Span(good.address(), 100))),
            new Transfer(Transfer.Kind.READ, 0, List.of()),
            new Transfer(Transfer.Kind.SYNC, 0, List.of(good)));
    for (Transfer transfer : bad) {
      assertThatThrownBy(() -> device.submit(List.of(transfer)))
          .isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(completions.all()).isEmpty();
    assertThat(device.usage().queuedReadBytes()).isZero();
  }

  @Test
  void submit_syncAlone_completes() throws InterruptedException {
    Transfer sync = new Transfer(Transfer.Kind.SYNC, 0, List.of());
    device.submit(List.of(sync));
    completions.await(1);
    assertThat(completions.errorOf(sync)).isZero();
  }

  @Test
  void submit_afterLongIdleness_isServed() throws InterruptedException {
    // Each round finds the engine asleep: nothing is in flight in between.
    MemorySegment memory = buffers.allocate(Buffers.BLOCK);
    for (int i = 0; i < 50; i++) {
      device.submit(List.of(new Transfer(Transfer.Kind.READ, 0, List.of(Buffers.span(memory)))));
      completions.await(i + 1);
    }
    assertThat(completions.all()).allMatch(end -> end.error() == 0);
  }
}
