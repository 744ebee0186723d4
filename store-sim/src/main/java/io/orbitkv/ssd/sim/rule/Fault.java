package io.orbitkv.ssd.sim.rule;

import java.util.Locale;

/** What the model device does wrong. */
public enum Fault {
  /** A read fails. */
  READ_ERROR(false),
  /** A write fails; any sectors of it may have reached the medium. */
  WRITE_ERROR(false),
  /** The device has no room. */
  NO_SPACE(false),
  /** A flush fails and has made nothing durable. */
  SYNC_ERROR(false),
  /** A read moves fewer bytes than asked for. */
  SHORT_READ(false),
  /** Nobody knows how a transfer ended. */
  UNKNOWN_OUTCOME(false),
  /** A transfer takes seconds. */
  STALL(false),
  /** A blocking access during opening fails. */
  OPEN_ERROR(false),
  /** A sector of a write that was cut off is old, its neighbours are new. */
  TORN_WRITE(false),
  /** A write that was completed and not flushed is gone after a loss of power. */
  UNFLUSHED_LOST(false),
  /** Of unflushed writes, a later one survived and an earlier one did not. */
  REORDERED(false),
  /** A write is reported and never happens. */
  LOST_WRITE(true),
  /** A write lands elsewhere. */
  MISDIRECTED_WRITE(true),
  /** A flush is reported and never happens. */
  LYING_SYNC(true),
  /** Bits of the medium change. */
  BIT_FLIP(true);

  private final boolean lie;

  Fault(boolean lie) {
    this.lie = lie;
  }

  /** Whether the device says that all is well: then only wrong bytes are forbidden. */
  public boolean lie() {
    return lie;
  }

  /** Its name in reports. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
