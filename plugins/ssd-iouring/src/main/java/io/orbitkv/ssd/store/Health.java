package io.orbitkv.ssd.store;

/**
 * Whether the device takes writes. After some failures in a row the store asks for none until a
 * probe has succeeded.
 */
final class Health {
  static final int MOST_ERRORS_IN_A_ROW = 8;
  static final long PROBE_NANOS = 30_000_000_000L;

  /** So long evictions are held back in the hope that they can be made durable. */
  static final long GIVE_UP_NANOS = 4 * PROBE_NANOS;

  private static final int EROFS = 30;

  private final Counters counters;
  private int errorsInARow;
  private boolean failing;
  private boolean forEver;
  private String failure = "";
  private String forGood = "";
  private long now;
  private long failingSince;
  private long nextProbe;

  Health(Counters counters, long nowNanos) {
    this.counters = counters;
    this.now = nowNanos;
  }

  void succeeded() {
    errorsInARow = 0;
  }

  void failed(int error) {
    counters.writeErrors++;
    errorsInARow++;
    if (!failing
        && (error == EROFS || errorsInARow >= MOST_ERRORS_IN_A_ROW || Transfers.isUnknown(error))) {
      failing = true;
      failingSince = now;
      nextProbe = now + PROBE_NANOS;
      failure =
          Transfers.isUnknown(error)
              ? "the device lost track of a write"
              : "the device failed writes with error [" + error + "]";
    }
    if (Transfers.isUnknown(error)) {
      forEver = true;
      degrade(failure);
    }
  }

  /** No writes until the store is opened again. */
  void degrade(String reason) {
    if (forGood.isEmpty()) {
      forGood = reason;
    }
  }

  void tick(long nowNanos) {
    now = nowNanos;
  }

  /** Whether it is time to try whether the device writes again. */
  boolean wantsProbe() {
    if (!failing || forEver || now - nextProbe < 0) {
      return false;
    }
    nextProbe = now + PROBE_NANOS;
    return true;
  }

  /** A probe was written and is durable. */
  void recovered() {
    if (forEver) {
      return;
    }
    failing = false;
    errorsInARow = 0;
    failure = "";
  }

  /** The device refuses writes; only probes are sent. */
  boolean isFailing() {
    return failing;
  }

  boolean hasGivenUp() {
    return failing && now - failingSince >= GIVE_UP_NANOS;
  }

  /** Whether pages may be written. */
  boolean takesPages() {
    return !failing && forGood.isEmpty();
  }

  /** Empty when healthy. */
  String degraded() {
    return forGood.isEmpty() ? failure : forGood;
  }
}
