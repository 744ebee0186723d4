package io.orbitkv.manager.experiment;

import java.time.Duration;
import java.util.Locale;

/**
 * Which requests belong to which variant.
 *
 * @param by unit that is assigned
 * @param isolation how variants are kept apart
 * @param percentOfA share of A, 1 to 99
 * @param salt another salt, another split
 * @param slot length of a turn under {@link Isolation#TIME}
 */
public record Assignment(By by, Isolation isolation, int percentOfA, long salt, Duration slot) {
  /** Unit that is assigned. */
  public enum By {
    /** Conversations, by what their prompts have in common. */
    CHAIN,
    /** Engine instances. */
    INSTANCE;

    /** How it is written. */
    public String key() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What holds unless somebody says otherwise. */
  public static final Assignment DEFAULT =
      new Assignment(By.CHAIN, Isolation.PARTITION, 50, 0, Duration.ofMinutes(15));
}
