package io.orbitkv.wire;

/** Feature bits. A feature is in use when both sides named it in Hello and Welcome. */
public final class Features {
  /** Answers on the status board. Needs a shared process namespace. */
  public static final long BOARD = 1;

  /** Owned preparations: Submit with PREPARE, Claim. */
  public static final long PREPARE = 1 << 1;

  /** Queue reports. */
  public static final long QUEUE = 1 << 2;

  /** Multi-group recovery: SELECTED and DISCOVER. */
  public static final long RECOVERY = 1 << 3;

  /** Unowned warming. */
  public static final long WARM = 1 << 4;

  /** Staged restores: SUBMITTED, StageWaited, and events in Registered. */
  public static final long STAGED = 1 << 5;

  private Features() {}
}
