package io.orbitkv.ssd.device;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Tries engines on a real file: a block is read, written back as it was, and made durable. */
public final class DeviceProbe {
  private static final long PROBE_FILE_BYTES = 1L << 20;
  private static final long PATIENCE_NANOS = 10_000_000_000L;
  private static final String PROBE_FILE = ".orbitkv-probe-";

  private DeviceProbe() {}

  /**
   * What a folder's file system and this process permit.
   *
   * @param geometry of a file there
   * @param choice which engine would be used, and why
   */
  public record Report(Geometry geometry, EngineChoice choice) {}

  /**
   * Any thread; blocks. Probes in a folder with a file that it makes and removes.
   *
   * @param direct whether transfers must pass the page cache by
   * @throws IOException when a file in the folder could not be opened, or not even be read and
   *     written by blocking calls; with the remedy
   */
  public static Report inFolder(Path folder, boolean direct) throws IOException {
    Path path = folder.resolve(PROBE_FILE + ProcessHandle.current().pid());
    try (DeviceFile file = DeviceFile.open(path, PROBE_FILE_BYTES, direct)) {
      blocking(file, 0);
      EngineChoice choice =
          rings(file, 0)
              .map(refusal -> new EngineChoice(ThreadsDevice.NAME, true, refusal, false, ""))
              .orElseGet(
                  () -> new EngineChoice(UringDevice.NAME, false, Devices.PROBE_WORKED, false, ""));
      return new Report(file.geometry(), choice);
    } finally {
      Files.deleteIfExists(path);
    }
  }

  /** Tries blocking calls. */
  static void blocking(DeviceFile file, long probeOffset) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment block = block(file, arena);
      file.read(Math.max(0, probeOffset), block.address(), block.byteSize());
      if (probeOffset >= 0) {
        file.write(probeOffset, block.address(), block.byteSize());
        file.sync();
      }
    }
  }

  /** Tries a ring; the refusal in words, empty when it works. */
  static Optional<String> rings(DeviceFile file, long probeOffset) {
    try {
      tryRing(file, probeOffset);
      return Optional.empty();
    } catch (IOException refused) {
      return Optional.of(String.valueOf(refused.getMessage()));
    }
  }

  @SuppressWarnings("MustBeClosedChecker") // Left open when the system may still fill the block.
  private static void tryRing(DeviceFile file, long probeOffset) throws IOException {
    Arena arena = Arena.ofConfined();
    NativeRing ring;
    try {
      ring = NativeRing.create(file.descriptor(), List.of(), warning -> {});
    } catch (IOException refused) {
      arena.close();
      throw refused;
    }
    MemorySegment block = block(file, arena);
    boolean answered = false;
    try {
      attempt(ring, request(1, Lane.READ, false, Math.max(0, probeOffset), block));
      if (probeOffset >= 0) {
        attempt(ring, request(2, Lane.WRITE, false, probeOffset, block));
        attempt(ring, request(3, Lane.WRITE, true, 0, block));
      }
      answered = true;
    } catch (RefusedException refused) {
      answered = true;
      throw refused;
    } finally {
      if (answered) {
        ring.close();
        arena.close();
      }
    }
  }

  private static void attempt(NativeRing ring, Request request) throws IOException {
    String what = request.sync() ? "a sync" : request.lane() == Lane.READ ? "a read" : "a write";
    ring.prepare(request);
    int refused = ring.submitAndWait(PATIENCE_NANOS);
    if (refused != SubmissionRing.OK) {
      throw new IOException("io_uring_enter is refused: " + Errors.describe(-refused));
    }
    if (!ring.nextCompletion()) {
      throw new IOException("io_uring does not complete " + what + " within 10 s");
    }
    int result = ring.completedResult();
    if (result != request.bytes()) {
      throw new RefusedException(
          "io_uring fails "
              + what
              + " of a block: "
              + (result < 0 ? Errors.describe(-result) : "it moved [" + result + "] bytes"));
    }
    ring.release(request);
  }

  /** The ring answered, so nothing is in flight. */
  private static final class RefusedException extends IOException {
    private static final long serialVersionUID = 1;

    RefusedException(String message) {
      super(message);
    }
  }

  private static Request request(
      long number, Lane lane, boolean sync, long offset, MemorySegment block) {
    Request request = new Request(number, lane, sync, offset, 0);
    if (!sync) {
      request.addMemory(block.address(), block.byteSize());
    }
    return request;
  }

  private static MemorySegment block(DeviceFile file, Arena arena) {
    Geometry geometry = file.geometry();
    return arena.allocate(
        geometry.blockBytes(), Math.max(geometry.blockBytes(), geometry.memoryAlignment()));
  }
}
