package io.orbitkv.api.policy;

import java.util.Set;
import java.util.function.BiFunction;

/** Short forms for a plugin's entry class: one line a policy. */
public final class Policies {
  private Policies() {}

  /** A lookahead policy. */
  public static <S extends Record> PolicyFactory<S> lookahead(
      String name, Class<S> settings, BiFunction<S, PolicyContext, LookaheadPolicy> create) {
    return new PolicyFactory<>(name, Set.of(PolicySlot.LOOKAHEAD), settings, true, create);
  }

  /** A warming policy. */
  public static <S extends Record> PolicyFactory<S> warming(
      String name, Class<S> settings, BiFunction<S, PolicyContext, WarmingPolicy> create) {
    return new PolicyFactory<>(name, Set.of(PolicySlot.WARMING), settings, true, create);
  }

  /** A cutoff policy. */
  public static <S extends Record> PolicyFactory<S> cutoff(
      String name, Class<S> settings, BiFunction<S, PolicyContext, CutoffPolicy> create) {
    return new PolicyFactory<>(name, Set.of(PolicySlot.CUTOFF), settings, true, create);
  }

  /** An admission policy; it can serve at each border. */
  public static <S extends Record> PolicyFactory<S> admission(
      String name, Class<S> settings, BiFunction<S, PolicyContext, AdmissionPolicy> create) {
    return new PolicyFactory<>(
        name,
        Set.of(PolicySlot.ADMISSION_DRAM, PolicySlot.ADMISSION_SSD, PolicySlot.ADMISSION_PROMOTE),
        settings,
        true,
        create);
  }

  /** A retention policy; it can serve in each tier. */
  public static <S extends Record> PolicyFactory<S> retention(
      String name, Class<S> settings, BiFunction<S, PolicyContext, RetentionPolicy> create) {
    return new PolicyFactory<>(
        name, Set.of(PolicySlot.RETENTION_DRAM, PolicySlot.RETENTION_SSD), settings, true, create);
  }
}
