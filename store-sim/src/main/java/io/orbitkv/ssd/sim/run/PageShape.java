package io.orbitkv.ssd.sim.run;

import java.util.List;

/**
 * The runs of all pages of one namespace and group.
 *
 * @param payloads bytes of payload of each run
 */
record PageShape(List<Integer> payloads) {
  /** Of all runs. */
  int payloadBytes() {
    return payloads.stream().mapToInt(Integer::intValue).sum();
  }

  /** Of all runs, each in whole frames. */
  int runBytes() {
    return payloads.stream()
        .mapToInt(payload -> Math.ceilDiv(payload, Memory.FRAME_BYTES) * Memory.FRAME_BYTES)
        .sum();
  }
}
