package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.HostRun;
import io.orbitkv.ssd.device.Geometry;
import java.util.List;

/** Whether runs can be moved by the device as they are. */
final class Shapes {
  private final int blockBytes;
  private final int memoryAlignment;

  Shapes(Layout layout, Geometry geometry) {
    this.blockBytes = layout.blockBytes();
    this.memoryAlignment = geometry.memoryAlignment();
  }

  /** Whether every run is made of whole, aligned blocks and the header can name them. */
  boolean isTransferable(List<HostRun> runs) {
    for (HostRun run : runs) {
      if (run.runBytes() <= 0
          || run.runBytes() % blockBytes != 0
          || run.address() % memoryAlignment != 0
          || run.payloadBytes() < 0
          || run.payloadBytes() > run.runBytes()) {
        return false;
      }
    }
    return !runs.isEmpty() && runs.size() <= RecordHeader.mostRuns(blockBytes);
  }

  /** Blocks of a record of these runs, its header included. */
  long blocks(List<HostRun> runs) {
    return 1 + runBytes(runs) / blockBytes;
  }

  static long runBytes(List<HostRun> runs) {
    long bytes = 0;
    for (HostRun run : runs) {
      bytes += run.runBytes();
    }
    return bytes;
  }

  static long payloadBytes(List<HostRun> runs) {
    long bytes = 0;
    for (HostRun run : runs) {
      bytes += run.payloadBytes();
    }
    return bytes;
  }
}
