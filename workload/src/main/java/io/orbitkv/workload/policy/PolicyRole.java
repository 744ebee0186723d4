package io.orbitkv.workload.policy;

import io.orbitkv.api.policy.PolicySlot;
import java.util.Locale;

/** What a policy is measured at. */
public enum PolicyRole {
  /** What leaves a tier first: prefix hits at equal sizes. */
  RETENTION(PolicySlot.RETENTION_DRAM, "return-density"),
  /** What is written to the backing tier: prefix hits for the bytes written. */
  WRITE_ADMISSION(PolicySlot.ADMISSION_SSD, "write-adaptive"),
  /** How much of what lies in the backing tier is read: time to first token. */
  CUTOFF(PolicySlot.CUTOFF, "restore-or-recompute");

  private final PolicySlot slot;
  private final String byDefault;

  PolicyRole(PolicySlot slot, String byDefault) {
    this.slot = slot;
    this.byDefault = byDefault;
  }

  /** A slot that a policy of this role can serve in. */
  public PolicySlot slot() {
    return slot;
  }

  /** The policy that is recommended: the default of the configuration. */
  public String byDefault() {
    return byDefault;
  }

  /** On the command line. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * The role of that name.
   *
   * @throws IllegalArgumentException naming the roles
   */
  public static PolicyRole of(String key) {
    for (PolicyRole role : values()) {
      if (role.key().equals(key)) {
        return role;
      }
    }
    throw new IllegalArgumentException(
        "--role [" + key + "] is not known: must be retention, write-admission or cutoff");
  }
}
