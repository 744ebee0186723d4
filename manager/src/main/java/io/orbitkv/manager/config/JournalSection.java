package io.orbitkv.manager.config;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;

/**
 * The journal of the policies' decisions.
 *
 * @param decisions that memory holds
 * @param sample of how many decisions one keeps its inputs
 * @param file where decisions with their inputs go
 * @param maxBytes of the file
 */
public record JournalSection(
    @Setting(
            def = "65536",
            min = "16",
            max = "1000000",
            doc = "decisions of policies that memory holds; the oldest are overwritten")
        int decisions,
    @Setting(
            def = "16",
            min = "1",
            max = "1000000",
            doc = "of so many decisions one keeps everything that the policy saw")
        int sample,
    @Setting(
            def = "none",
            doc =
                "file for the decisions that keep what the policy saw and for those that a default"
                    + " decided, a JSON object a line")
        String file,
    @Setting(
            def = "64mb",
            min = "4kb",
            max = "1tb",
            doc =
                "size at which the file is renamed to <file>.1, in the place of the one before, and"
                    + " begun anew")
        ByteSize maxBytes) {
  /** No file. */
  public static final String NONE = "none";

  /** What stands when nothing is written. */
  static final JournalSection DEFAULT =
      new JournalSection(65_536, 16, NONE, new ByteSize(64L << 20));
}
