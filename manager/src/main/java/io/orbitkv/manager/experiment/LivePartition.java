package io.orbitkv.manager.experiment;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * When a Manager's tiers are divided for {@code isolation: partition}, and what is said where they
 * are not. They are divided at the start alone: a page that is in a tier belongs to one kernel.
 */
public final class LivePartition {
  private static final String MODEL =
      "; 'orbitkv ab --simulate --isolation partition' does it on a model";

  /** What is said to whoever wants conversations to be assigned. */
  public static final String BY_CHAIN =
      "[partition] on live traffic is by instance: a conversation may come from any instance, and"
          + " an instance's device pages and status boards belong to one kernel; write assign: {by:"
          + " instance, isolation: partition} and restart the Manager"
          + MODEL;

  private static final String NOT_DIVIDED =
      "[partition] needs tiers that are divided before the first page is in them, and this Manager"
          + " was started with one of each: write ab.assign: {by: instance, isolation: partition}"
          + " into its configuration and restart it, or use isolation: time, or shared where"
          + " cutoff, lookahead or warming alone differ"
          + MODEL;

  private LivePartition() {}

  /**
   * How the instances of a Manager with this experiment in its configuration are divided from its
   * start on.
   *
   * @return empty when they are not
   */
  public static Optional<ArmSplit> of(Assignment assignment) {
    return assignment.isolation() == Isolation.PARTITION
            && assignment.by() == Assignment.By.INSTANCE
        ? Optional.of(ArmSplit.of(assignment))
        : Optional.empty();
  }

  /**
   * Why an experiment with this assignment cannot run on a Manager.
   *
   * @param divided how the Manager's instances are divided since its start; null when they are not
   */
  public static Optional<String> refusal(Assignment wanted, @Nullable ArmSplit divided) {
    if (wanted.isolation() != Isolation.PARTITION) {
      return divided == null
          ? Optional.empty()
          : Optional.of(
              "["
                  + wanted.isolation().key()
                  + "] needs one cache, and this Manager's tiers are divided into two cells since"
                  + " its start: use isolation: partition, or take it out of ab.assign and"
                  + " restart");
    }
    if (wanted.by() == Assignment.By.CHAIN) {
      return Optional.of(BY_CHAIN);
    }
    if (divided == null) {
      return Optional.of(NOT_DIVIDED);
    }
    ArmSplit split = ArmSplit.of(wanted);
    return split.equals(divided)
        ? Optional.empty()
        : Optional.of(
            "split ["
                + shares(split)
                + "] with salt ["
                + split.salt()
                + "] is not how this Manager's tiers are divided, which is ["
                + shares(divided)
                + "] with salt ["
                + divided.salt()
                + "]: take these, or write the others into ab.assign and restart");
  }

  private static String shares(ArmSplit split) {
    return split.percent() + ", " + (100 - split.percent());
  }
}
