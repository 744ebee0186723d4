package io.orbitkv.api.policy;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/** The slots in which a policy can serve. */
public enum PolicySlot {
  /** Which accepted requests to prepare. */
  LOOKAHEAD(LookaheadPolicy.class),
  /** Which chains to read ahead without an owner. */
  WARMING(WarmingPolicy.class),
  /** When to stop reading and what to restore. */
  CUTOFF(CutoffPolicy.class),
  /** What enters host memory from a device. */
  ADMISSION_DRAM(AdmissionPolicy.class),
  /** What is written to a backing tier. */
  ADMISSION_SSD(AdmissionPolicy.class),
  /** What stays in host memory after a read from a backing tier. */
  ADMISSION_PROMOTE(AdmissionPolicy.class),
  /** What leaves host memory first. */
  RETENTION_DRAM(RetentionPolicy.class),
  /** What leaves a backing tier first. */
  RETENTION_SSD(RetentionPolicy.class);

  private final Class<? extends Policy> type;

  PolicySlot(Class<? extends Policy> type) {
    this.type = type;
  }

  /** The contract of the slot. */
  public Class<? extends Policy> type() {
    return type;
  }

  /** The key in the configuration, below {@code policies}, such as {@code retention.dram}. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '.');
  }

  /** A set of slots in their order, empty or not. */
  public static Set<PolicySlot> setOf(Collection<PolicySlot> slots) {
    Set<PolicySlot> all = EnumSet.noneOf(PolicySlot.class);
    all.addAll(slots);
    return all;
  }
}
