package io.orbitkv.manager.dispatch;

import io.orbitkv.api.backing.HostRun;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.zip.CRC32C;

/** The checksum that goes with a page to the backing tier. */
final class RunChecksum {
  private static final long STEP_BYTES = 1L << 30;

  private RunChecksum() {}

  /** CRC-32C over the payload of all runs in order. The runs are not changed meanwhile. */
  @SuppressWarnings("restricted") // Runs come from the kernel, which holds them for the write.
  static int of(List<HostRun> runs) {
    CRC32C checksum = new CRC32C();
    for (HostRun run : runs) {
      for (long done = 0; done < run.payloadBytes(); done += STEP_BYTES) {
        long bytes = Math.min(STEP_BYTES, run.payloadBytes() - done);
        checksum.update(
            MemorySegment.ofAddress(run.address() + done).reinterpret(bytes).asByteBuffer());
      }
    }
    return (int) checksum.getValue();
  }
}
