package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

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

/** Both engines over a real file, whose answers are made short, interrupted and refused for now. */
class DeviceFaultTest {
  private static final long MB = 1L << 20;

  private final TestPluginContext context = new TestPluginContext("ssd-iouring");
  private final RecordedCompletions completions = new RecordedCompletions();
  private final Buffers buffers = new Buffers();
  private DeviceFile file;

  @TempDir Path folder;

  @BeforeEach
  void open() throws IOException {
    file = DeviceFile.open(folder.resolve("store"), 64 * MB, TestFolders.direct(folder));
  }

  @AfterEach
  void close() {
    file.close();
    assertThat(context.runningThreads()).isEmpty();
    context.close();
    buffers.close();
  }

  @Test
  void threads_faultyAnswers_moveEveryByte() throws InterruptedException {
    Faults faults = new Faults();
    PositionalIo real = file.positional();
    PositionalIo faulty =
        new PositionalIo() {
          @Override
          public long transfer(Lane lane, long offset, long vectors, int count) {
            return faults.change(real.transfer(lane, offset, vectors, count));
          }

          @Override
          public int sync() {
            return (int) faults.change(real.sync());
          }
        };
    StoreDevice device =
        new ThreadsDevice(
            file,
            faulty,
            DeviceSettings.defaults(),
            context.threads(),
            System::nanoTime,
            completions,
            context.log());
    exercise(device, faults);
  }

  @Test
  void threads_callThrows_isUnknownAndTheThreadLives() throws InterruptedException {
    PositionalIo throwing =
        new PositionalIo() {
          @Override
          public long transfer(Lane lane, long offset, long vectors, int count) {
            throw new IllegalStateException("planted");
          }

          @Override
          public int sync() {
            return 0;
          }
        };
    try (StoreDevice device =
        new ThreadsDevice(
            file,
            throwing,
            DeviceSettings.defaults(),
            context.threads(),
            System::nanoTime,
            completions,
            context.log())) {
      for (int i = 0; i < 40; i++) {
        device.submit(
            List.of(
                new Transfer(
                    Transfer.Kind.READ, 0, List.of(Buffers.span(buffers.allocate(4096))))));
      }
      completions.await(40);
      assertThat(completions.all()).allMatch(end -> end.error() == StoreDevice.UNKNOWN);
    }
  }

  @Test
  void rings_faultyAnswers_moveEveryByte() throws IOException, InterruptedException {
    assumeThat(DeviceProbe.rings(file, 0)).isEmpty();
    Faults faults = new Faults();
    StoreDevice device =
        UringDevice.start(
            file,
            DeviceSettings.defaults(),
            lane ->
                new FaultyRing(
                    NativeRing.create(file.descriptor(), List.of(), warning -> {}), faults),
            new Devices.Environment(
                0, List.of(), context.threads(), System::nanoTime, context.log()),
            completions);
    exercise(device, faults);
  }

  private void exercise(StoreDevice device, Faults faults) throws InterruptedException {
    try (device) {
      Random random = new Random(3);
      List<Transfer> writes = new ArrayList<>();
      List<Transfer> reads = new ArrayList<>();
      List<MemorySegment> memories = new ArrayList<>();
      long offset = 0;
      for (int i = 0; i < 120; i++) {
        long bytes = 4096L * (1 + random.nextInt(100));
        writes.add(
            new Transfer(
                Transfer.Kind.WRITE, offset, List.of(Buffers.span(buffers.filled(bytes, i)))));
        memories.add(buffers.allocate(bytes));
        reads.add(
            new Transfer(Transfer.Kind.READ, offset, List.of(Buffers.span(memories.getLast()))));
        offset += bytes;
      }
      device.submit(writes);
      completions.await(120);
      device.submit(List.of(new Transfer(Transfer.Kind.SYNC, 0, List.of())));
      device.submit(reads);
      completions.await(241);
      assertThat(completions.all()).allMatch(end -> end.error() == 0);
      for (int i = 0; i < memories.size(); i++) {
        assertThat(Buffers.holds(memories.get(i), i, 0)).isTrue();
      }
      assertThat(faults.planted()).isGreaterThan(20);
    }
  }

  /** Makes some results worse than they were. */
  private static final class Faults {
    private final Random random = new Random(5);
    private int planted;

    synchronized long change(long result) {
      int choice = random.nextInt(10);
      if (result < 0 || choice > 3) {
        return result;
      }
      planted++;
      return switch (choice) {
        case 0 -> -Errors.EINTR;
        case 1 -> -Errors.EAGAIN;
        // Short, at a block or inside one; nothing at all would be the end of the device.
        default -> result <= 1 ? result : 1 + random.nextLong(result - 1);
      };
    }

    synchronized int planted() {
      return planted;
    }
  }

  private record FaultyRing(SubmissionRing real, Faults faults) implements SubmissionRing {
    @Override
    public int free() {
      return real.free();
    }

    @Override
    public void prepare(Request request) {
      real.prepare(request);
    }

    @Override
    public void armWake() {
      real.armWake();
    }

    @Override
    public int submitAndWait(long timeoutNanos) {
      return real.submitAndWait(timeoutNanos);
    }

    @Override
    public boolean nextCompletion() {
      return real.nextCompletion();
    }

    @Override
    public long completedNumber() {
      return real.completedNumber();
    }

    @Override
    public int completedResult() {
      int result = real.completedResult();
      return completedNumber() == WAKE ? result : (int) faults.change(result);
    }

    @Override
    public void release(Request request) {
      real.release(request);
    }

    @Override
    public void wake() {
      real.wake();
    }

    @Override
    public boolean fixedBuffers() {
      return real.fixedBuffers();
    }

    @Override
    public String notes() {
      return real.notes();
    }

    @Override
    public void close() {
      real.close();
    }
  }
}
