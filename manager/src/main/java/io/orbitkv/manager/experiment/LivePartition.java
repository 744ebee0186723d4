package io.orbitkv.manager.experiment;

/** Why tiers are not split under live traffic. */
public final class LivePartition {
  /** What is said to whoever asks for it. */
  public static final String REFUSAL =
      "[partition] needs tiers that are split before the first page is in them, and this Manager"
          + " has one of each: use isolation: time, or shared where cutoff, lookahead or warming"
          + " alone differ; 'orbitkv ab --simulate --isolation partition' does it on a model";

  private LivePartition() {}
}
