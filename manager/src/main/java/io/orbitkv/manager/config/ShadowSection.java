package io.orbitkv.manager.config;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import io.orbitkv.manager.settings.Share;

/**
 * What shadow policies may cost.
 *
 * @param sample of the conversations, and of the capacity of the tiers
 * @param memory of the Java heap
 */
public record ShadowSection(
    @Setting(
            def = "25%",
            doc =
                "share of the conversations that the miniatures of shadow policies see, and of the"
                    + " capacity and write allowance that they have; less where memory does not"
                    + " reach")
        Share sample,
    @Setting(
            def = "64mb",
            min = "4mb",
            max = "4gb",
            doc =
                "Java heap for all miniatures of shadow policies together, without what the"
                    + " policies keep")
        ByteSize memory) {
  /** What stands when nothing is written. */
  static final ShadowSection DEFAULT =
      new ShadowSection(Share.parse("25%"), new ByteSize(64L << 20));

  /** The sample as a number, above 0 and at most 1. */
  public double share() {
    return sample instanceof Share.Percent percent ? percent.percent() / 100 : 1;
  }
}
