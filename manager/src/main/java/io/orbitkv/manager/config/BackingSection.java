package io.orbitkv.manager.config;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;

/**
 * The tier behind host memory.
 *
 * @param tier which plugin's backing tier, {@link #AUTO} or {@link #NONE}
 * @param writeQueue bytes of pages that wait to be written
 * @param writeInFlight bytes of pages that are being written
 */
public record BackingSection(
    @Setting(
            def = AUTO,
            doc =
                "backing tier behind host memory, offered by a plugin; auto is the SSD store where"
                    + " ssd.paths names a path, and otherwise none")
        String tier,
    @Setting(
            def = "1gb",
            min = "1mb",
            doc = "pages that may wait to be written to the backing tier; more are dropped")
        ByteSize writeQueue,
    @Setting(
            def = "64mb",
            min = "1mb",
            doc = "pages that are written to the backing tier at once; one always may be")
        ByteSize writeInFlight) {
  /** What {@code ssd} says. */
  public static final String AUTO = "auto";

  /** No backing tier. */
  public static final String NONE = "none";
}
