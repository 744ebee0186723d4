package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of devices, kept by the engine io-uring where the system permits it. */
class UringDeviceTest extends StoreDeviceContract {
  @BeforeEach
  @Override
  void open() throws IOException {
    super.open();
  }

  @Override
  void start(DeviceSettings settings) throws IOException {
    assumeThat(DeviceProbe.rings(file, 0)).isEmpty();
    super.start(settings);
  }

  @Override
  DeviceSettings settings() {
    return DeviceSettings.defaults().withEngine(DeviceSettings.Engine.IO_URING);
  }

  @Override
  String engine() {
    return "io-uring";
  }

  @Test
  void fixedBuffers_transfersInsideAndAcrossThem_moveEveryByte() throws Exception {
    MemorySegment first = buffers.filled(4 * MB, 1);
    MemorySegment second = buffers.filled(4 * MB, 2);
    MemorySegment stranger = buffers.filled(MB, 3);
    Devices.Started started = restart(List.of(Buffers.span(first), Buffers.span(second)), "AUTO");
    assertThat(started.choice().fixedBuffers()).isTrue();
    assertThat(started.choice().notes()).isEmpty();

    // One piece; several of one buffer; pieces of two buffers; memory of none.
    write(0, slice(first, 0, MB));
    write(MB, slice(first, MB, 8192), slice(first, 2 * MB, 8192));
    write(2 * MB, slice(first, 3 * MB, 4096), slice(second, 0, 4096));
    write(3 * MB, slice(stranger, 0, 4096));
    read(0, slice(second, MB, MB));
    read(MB, slice(second, 2 * MB, 4096), slice(first, 0, 12_288));
    read(2 * MB, slice(second, 3 * MB, 8192));
    read(3 * MB, slice(stranger, 8192, 4096));
    assertThat(completions.all()).hasSize(8).allMatch(end -> end.error() == 0);
    assertThat(Buffers.holds(second.asSlice(MB, MB), 1, 0)).isTrue();
    assertThat(Buffers.holds(second.asSlice(2 * MB, 4096), 1, MB)).isTrue();
    assertThat(Buffers.holds(first.asSlice(0, 4096), 1, MB + 4096)).isTrue();
    assertThat(Buffers.holds(first.asSlice(4096, 8192), 1, 2 * MB)).isTrue();
    assertThat(Buffers.holds(second.asSlice(3 * MB, 4096), 1, 3 * MB)).isTrue();
    assertThat(Buffers.holds(second.asSlice(3 * MB + 4096, 4096), 2, 0)).isTrue();
    assertThat(Buffers.holds(stranger.asSlice(8192, 4096), 3, 0)).isTrue();
    assertThat(context.log().messages(Level.WARNING)).isEmpty();
  }

  @Test
  void fixedBuffers_systemRefusesOne_warnsAndGoesOnWithout() throws Exception {
    MemorySegment memory = buffers.filled(MB, 1);
    // No buffer may be that large.
    restart(List.of(new Span(memory.address(), 2L << 30)), "ON");
    write(0, slice(memory, 0, MB));
    write(MB, slice(memory, 0, MB));
    read(0, slice(memory, 0, MB));
    assertThat(completions.all()).allMatch(end -> end.error() == 0);
    assertThat(Buffers.holds(memory, 1, 0)).isTrue();
    // Once by each ring that used it.
    assertThat(context.log().messages(Level.WARNING))
        .hasSize(2)
        .allMatch(line -> line.contains("fixed buffers are off"));
  }

  @Test
  void fixedBuffers_off_areNotRegistered() throws Exception {
    Devices.Started started = restart(List.of(Buffers.span(buffers.allocate(MB))), "OFF");
    assertThat(started.choice().fixedBuffers()).isFalse();
    assertThat(started.choice().notes()).isEmpty();
  }

  private Devices.Started restart(List<Span> registered, String fixed) throws IOException {
    device.close();
    DeviceSettings defaults = settings();
    Devices.Started started =
        Devices.start(
            file,
            new DeviceSettings(
                defaults.engine(),
                DeviceSettings.FixedBuffers.valueOf(fixed),
                defaults.writeSharePercent(),
                defaults.yieldNanos(),
                defaults.besideBytes(),
                defaults.requestBytes(),
                defaults.readBytesInFlight(),
                defaults.writeBytesInFlight(),
                defaults.readThreads(),
                defaults.writeThreads(),
                ""),
            new Devices.Environment(
                0, registered, context.threads(), System::nanoTime, context.log()),
            completions);
    device = started.device();
    return started;
  }

  private void write(long offset, Span... spans) throws InterruptedException {
    move(Transfer.Kind.WRITE, offset, spans);
  }

  private void read(long offset, Span... spans) throws InterruptedException {
    move(Transfer.Kind.READ, offset, spans);
  }

  private void move(Transfer.Kind kind, long offset, Span... spans) throws InterruptedException {
    int before = completions.all().size();
    device.submit(List.of(new Transfer(kind, offset, List.of(spans))));
    completions.await(before + 1);
  }

  private static Span slice(MemorySegment memory, long from, long bytes) {
    return Buffers.span(memory.asSlice(from, bytes));
  }
}
