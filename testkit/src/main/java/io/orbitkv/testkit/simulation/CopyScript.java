package io.orbitkv.testkit.simulation;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import org.jspecify.annotations.Nullable;

/** What becomes of the plans of a {@link SimulatedCopier}: the place where faults are put in. */
public interface CopyScript {
  /** Everything succeeds at once. */
  CopyScript SUCCEED = new CopyScript() {};

  /** How long a plan takes, in nanoseconds, not negative. Asked once, at its submission. */
  default long delayNanos(CopyPlan plan) {
    return 0;
  }

  /**
   * How a plan ends. Asked once, at its end. A failed plan moves nothing; an unknown one leaves its
   * runs under the copy for good.
   */
  default CopyOutcome outcome(CopyPlan plan) {
    return new CopyOutcome.Done();
  }

  /** Whether the device memory opens; null, or what the copier says. */
  default @Nullable String openFailure(DeviceMemoryDescriptor descriptor) {
    return null;
  }
}
