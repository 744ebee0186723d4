package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.KernelStatus;
import java.util.List;

/**
 * What the dispatcher knows at one moment. Immutable.
 *
 * @param kernel the kernel's picture
 * @param copiers in the order of the configuration
 * @param policies what serves in each slot, and what served there before
 * @param variants the kernel's counters by variant
 */
public record DispatcherPicture(
    KernelStatus kernel,
    List<CopierFigures> copiers,
    List<PolicyFigures> policies,
    VariantCounters variants) {
  /** Copies the lists. */
  public DispatcherPicture {
    copiers = List.copyOf(copiers);
    policies = List.copyOf(policies);
  }
}
