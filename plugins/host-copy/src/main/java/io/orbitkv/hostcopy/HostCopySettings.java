package io.orbitkv.hostcopy;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;

/**
 * Settings of the copier {@code host-copy}.
 *
 * @param threads 0 for the processors, up to {@link #MAX_AUTOMATIC_THREADS}
 * @param queuePlans most plans that are accepted and not yet reported
 * @param sliceBytes payload that a thread moves before it takes the next plan's slice
 * @param foregroundSlices slices of foreground plans between two of speculative ones
 */
public record HostCopySettings(
    @Setting(
            def = "0",
            min = "0",
            max = "256",
            doc = "threads that copy; 0: as many as processors, up to 4")
        int threads,
    @Setting(
            def = "256",
            min = "1",
            max = "65536",
            doc = "most plans that wait or run; the Manager holds back what is beyond")
        int queuePlans,
    @Setting(
            def = "4mb",
            min = "64kb",
            max = "1gb",
            doc =
                "bytes of one plan that a thread copies before the next plan gets its turn, so that"
                    + " a large copy does not delay a small one")
        ByteSize sliceBytes,
    @Setting(
            def = "8",
            min = "1",
            max = "1024",
            doc =
                "foreground slices after which one speculative slice is copied when both wait, so"
                    + " that speculative copies never starve")
        int foregroundSlices) {
  /** Most threads when the number is left to the copier. */
  public static final int MAX_AUTOMATIC_THREADS = 4;

  /** The number of threads to start on this machine. */
  int threadsToStart() {
    return threads > 0
        ? threads
        : Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_AUTOMATIC_THREADS);
  }
}
