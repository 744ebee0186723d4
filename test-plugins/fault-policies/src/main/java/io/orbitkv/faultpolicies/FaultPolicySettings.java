package io.orbitkv.faultpolicies;

import io.orbitkv.api.settings.Setting;
import java.time.Duration;

/**
 * Settings of the policy {@code fault-policy}.
 *
 * @param mode what each call does
 * @param delay of a late answer
 * @param reason what it says when it answers
 */
public record FaultPolicySettings(
    @Setting(def = "work", doc = "what each call does") Mode mode,
    @Setting(def = "2s", min = "1ms", max = "1m", doc = "delay of a late answer") Duration delay,
    @Setting(def = "fault-free", doc = "what it says when it answers") String reason) {
  /** What a call does. */
  public enum Mode {
    /** Answers. */
    WORK,
    /** Throws. */
    THROW,
    /** Never returns. */
    HANG,
    /** Answers what makes no sense. */
    NONSENSE,
    /** Answers after the delay. */
    LATE,
    /** Cannot be made. */
    UNMADE
  }
}
