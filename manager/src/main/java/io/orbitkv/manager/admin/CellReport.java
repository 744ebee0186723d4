package io.orbitkv.manager.admin;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.PolicyFigures;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One cell of a divided Manager.
 *
 * @param cell its number, from 1
 * @param variant that serves in it; {@code none} outside of an experiment
 * @param kernel its kernel's picture
 * @param backing use of its part of the store; null without one, or when it does not tell
 * @param assigned instances that ever came and belong to it
 * @param policies by slot, and those that served before
 * @param instances the first {@link #MOST_INSTANCES} of them by name
 */
public record CellReport(
    String cell,
    String variant,
    KernelStatus kernel,
    @Nullable BackingUsage backing,
    int assigned,
    List<PolicyFigures> policies,
    List<String> instances) {
  /** Most names in one report. */
  public static final int MOST_INSTANCES = 100;

  /** Copies the lists. */
  public CellReport {
    policies = List.copyOf(policies);
    instances = List.copyOf(instances);
  }
}
