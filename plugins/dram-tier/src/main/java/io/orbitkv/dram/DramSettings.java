package io.orbitkv.dram;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;

/**
 * Settings of the tier {@code dram}.
 *
 * @param chunkSize a multiple of 4 KiB
 * @param touchThreads 0 for the processors, up to {@link #MAX_AUTOMATIC_THREADS}
 * @param hugePages whether to ask for huge pages
 */
public record DramSettings(
    @Setting(
            def = "1gb",
            min = "4kb",
            max = "1gb",
            doc =
                "size of a chunk, which is touched, registered with the copiers and put to use as"
                    + " one piece; a multiple of 4kb; no page may be larger")
        ByteSize chunkSize,
    @Setting(
            def = "0",
            min = "0",
            max = "256",
            doc = "threads that touch memory at the start; 0: as many as processors, up to 16")
        int touchThreads,
    @Setting(
            def = "true",
            doc =
                "ask the system for transparent huge pages; what was obtained is the gauge"
                    + " huge_page_bytes")
        boolean hugePages) {
  /** Most threads that touch memory when the number is left to the tier. */
  public static final int MAX_AUTOMATIC_THREADS = 16;

  /**
   * @throws IllegalArgumentException when the chunk size is no multiple of 4 KiB
   */
  public DramSettings {
    if (chunkSize.bytes() % RunAllocator.GRANULE_BYTES != 0 || chunkSize.bytes() == 0) {
      throw new IllegalArgumentException(
          "chunk-size [" + chunkSize + "] is not a multiple of 4kb: write for example 1gb");
    }
  }

  /** The number of threads to start on this machine. */
  int threads() {
    return touchThreads > 0
        ? touchThreads
        : Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_AUTOMATIC_THREADS);
  }
}
