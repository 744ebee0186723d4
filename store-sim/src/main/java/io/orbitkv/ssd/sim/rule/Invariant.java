package io.orbitkv.ssd.sim.rule;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What must hold of the store, whatever happens to its device and its process. */
public enum Invariant {
  /** Bytes that are served. */
  READ_BYTES_RIGHT("soundness 6", "every byte read is one that was written under its full key"),
  /** Duplicates. */
  NEWEST_VERSION_SERVED("soundness 3.2", "the newest copy of a page wins, live and recovered"),
  /** Upper bound of recovery. */
  RECOVERED_WAS_PUBLISHED("soundness 6", "nothing is recovered that was never given to the store"),
  /** Lower bound after a loss of power. */
  FLUSHED_SURVIVES_POWER_LOSS(
      "soundness 6", "what was flushed and not given up since is recovered and readable"),
  /** Lower bound after the death of the process. */
  REPORTED_SURVIVES_KILL(
      "soundness 6", "every write that was reported is recovered after the process died"),
  /** Lower bound after a clean stop. */
  CLEAN_STOP_KEEPS_ALL("soundness 3.3", "a clean stop and start give the same pages"),
  /** Evictions. */
  EVICTED_STAYS_GONE(
      "soundness 6", "an evicted, dropped or invalidated page is not found until written anew"),
  /** Recovery has no memory. */
  RECOVERY_IDEMPOTENT("soundness 6", "recovering twice gives the same pages"),
  /** Recovery can be killed. */
  RECOVERY_RESTARTABLE("soundness 6", "a recovery that was cut short loses and adds nothing"),
  /** Recovery walks. */
  WALK_STOPS_AT_MISMATCH(
      "soundness 3.2", "nothing behind a record whose header is damaged is recovered"),
  /** Own file. */
  OPENS_AGAIN("soundness 3.3", "no crash makes the store refuse its own file"),
  /** Reports. */
  REPORTED_EXACTLY_ONCE("soundness 4", "each accepted operation is reported exactly once"),
  /** Liveness. */
  ENDS_IN_TIME("soundness 4", "each accepted operation ends in bounded time"),
  /** Visibility. */
  FOUND_WHEN_COMPLETE(
      "soundness 3.3", "a page is findable only after the device has taken all of it"),
  /** Notices. */
  NOTICES_AGREE_WITH_READS("soundness 4", "what is told as stored is found until told as lost"),
  /** Faults that are told. */
  FAILURE_NAMES_ITS_CAUSE(
      "soundness 3.5", "a read ends as its device says: short, failed, unknown or done"),
  /** Readers. */
  NO_OVERWRITE_UNDER_READERS("soundness 3.4", "no segment is written while a page of it is read"),
  /** Buffers. */
  BUFFERS_OWNED("soundness 3.5", "the device touches memory of open operations alone"),
  /** Requests. */
  TRANSFER_FITS("soundness 3.5", "transfers are aligned and inside the device"),
  /** First order of flushes. */
  FOOTER_AFTER_DATA("soundness 3.3", "a footer is written when its records are durable"),
  /** Second order of flushes. */
  INVALIDATED_BEFORE_OVERWRITE(
      "soundness 3.2", "a segment's new header is durable before its first record"),
  /** Third order of flushes. */
  DIRTY_MARK_FIRST("soundness 3.3", "after a clean stop a durable mark precedes every other write"),
  /** Books. */
  USAGE_ADDS_UP("soundness 6", "pages and live bytes are those that were told"),
  /** Budget after a restart. */
  BUDGET_SURVIVES_RESTART("soundness 1.10", "a restart gives no write budget back"),
  /** Budget. */
  BUDGET_RESPECTED("soundness 3.9", "bytes written stay within the budget of their days"),
  /** The state machine itself. */
  STORE_DOES_NOT_FAIL("soundness 4", "the store throws at nothing that a device can do");

  private final String source;
  private final String summary;

  Invariant(String source, String summary) {
    this.source = source;
    this.summary = summary;
  }

  /** Its name in reports. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Where it is demanded. */
  public String source() {
    return source;
  }

  /** What it says. */
  public String summary() {
    return summary;
  }

  /** The invariant of that name, or null. */
  public static @Nullable Invariant named(String key) {
    for (Invariant invariant : values()) {
      if (invariant.key().equals(key)) {
        return invariant;
      }
    }
    return null;
  }
}
