package io.orbitkv.manager.policy;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Who serves in a slot, and for whom.
 *
 * @param plan what serves; with {@code ofB} that is variant A of an experiment
 * @param variant what metrics and journal call it
 * @param ofB what serves beside it, for requests of variant B; null when there is nothing
 */
public record Service(SlotPlan plan, String variant, @Nullable SlotPlan ofB) {
  /** Outside of an experiment. */
  public static final String NO_VARIANT = SlotBook.NO_VARIANT;

  /** One plan for everybody. */
  public static Service of(SlotPlan plan) {
    return new Service(plan, SlotBook.NO_VARIANT, null);
  }

  /** One plan for everybody, as a variant of an experiment. */
  public static Service as(String variant, SlotPlan plan) {
    return new Service(plan, variant, null);
  }

  /** Both variants at once. */
  public static Service both(SlotPlan a, SlotPlan b) {
    return new Service(a, SlotBook.VARIANT_A, b);
  }

  List<String> variants() {
    return ofB == null ? List.of(variant) : List.of(variant, SlotBook.VARIANT_B);
  }

  /** Names and settings. */
  @Override
  public String toString() {
    return ofB == null ? plan.toString() : "A: " + plan + "; B: " + ofB;
  }
}
