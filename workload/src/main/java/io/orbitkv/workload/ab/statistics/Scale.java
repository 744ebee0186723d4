package io.orbitkv.workload.ab.statistics;

/** On what scale two values of a measure are compared. */
public enum Scale {
  /** Logarithm of B / A: symmetric, and the same for a fast machine and a slow one. */
  LOG_RATIO,
  /** B − A, where a value near zero makes a ratio of anything. */
  DIFFERENCE;

  /** The effect of B against A. */
  public double effect(double a, double b) {
    return switch (this) {
      case LOG_RATIO -> Math.log(b / a);
      case DIFFERENCE -> b - a;
    };
  }

  /** The effect as people read it: a relative change for a ratio, the difference itself else. */
  public double change(double effect) {
    return switch (this) {
      case LOG_RATIO -> Math.expm1(effect);
      case DIFFERENCE -> effect;
    };
  }

  /**
   * A relative change, such as 0.02 for two per cent more, on this scale.
   *
   * @param base what the change is relative to; its sign has no meaning
   */
  public double ofRelativeChange(double change, double base) {
    return switch (this) {
      case LOG_RATIO -> Math.log1p(change);
      case DIFFERENCE -> change * Math.abs(base);
    };
  }
}
