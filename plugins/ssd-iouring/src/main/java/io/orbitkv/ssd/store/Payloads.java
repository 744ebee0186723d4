package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.HostRun;
import io.orbitkv.ssd.device.BlockFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.zip.CRC32C;

/** Checks payloads at opening, piece by piece through a window. */
final class Payloads {
  static final int WINDOW_BYTES = 256 << 10;

  private final BlockFile file;
  private final int blockBytes;
  private final MemorySegment window;

  /**
   * @param window aligned memory of {@link #WINDOW_BYTES}
   */
  Payloads(BlockFile file, int blockBytes, MemorySegment window) {
    this.file = file;
    this.blockBytes = blockBytes;
    this.window = window;
  }

  /**
   * Whether the record at an offset, whose header is known to be valid, has the payload that its
   * header names. What cannot be read is not intact.
   */
  boolean isIntact(long offset, int blocks) {
    try {
      file.read(offset, window.address(), blockBytes);
      List<HostRun> runs = RecordHeader.runs(window, 0, 0);
      if (Shapes.runBytes(runs) != (blocks - 1L) * blockBytes) {
        return false;
      }
      int checksum = RecordHeader.checksum(window, 0);
      CRC32C crc = new CRC32C();
      for (HostRun run : runs) {
        add(offset + blockBytes + run.address(), run.payloadBytes(), crc);
      }
      return (int) crc.getValue() == checksum;
    } catch (IOException unreadable) {
      return false;
    }
  }

  private void add(long offset, long bytes, CRC32C crc) throws IOException {
    for (long done = 0; done < bytes; done += WINDOW_BYTES) {
      long piece = Math.min(WINDOW_BYTES, bytes - done);
      file.read(offset + done, window.address(), Blocks.roundUp(piece, blockBytes));
      crc.update(window.asSlice(0, piece).asByteBuffer());
    }
  }
}
