package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.HostRun;
import java.util.List;

/**
 * The payload of a page whose checksum is to be compared.
 *
 * @param number names the check in its result
 * @param runs memory, in order
 * @param checksum CRC-32C that the payload of all runs in order must have
 */
public record PageCheck(long number, List<HostRun> runs, int checksum) {
  /** Bytes of the payload. */
  public long payloadBytes() {
    long bytes = 0;
    for (HostRun run : runs) {
      bytes += run.payloadBytes();
    }
    return bytes;
  }
}
