package io.orbitkv.manager.metrics;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.CopierFigures;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.session.SessionFigures;
import io.orbitkv.manager.shadow.ShadowFigures;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What all gauges and counters of one export are read from. The dispatcher's part is made there, so
 * that its parts fit together.
 *
 * @param kernel the kernel's picture
 * @param copiers in the order of the configuration
 * @param policies what serves in each slot, and what served there before
 * @param untimedOperations operations that no timer saw, since the start
 * @param around what the parts around the dispatcher knew right after it
 */
record Picture(
    KernelStatus kernel,
    List<CopierFigures> copiers,
    List<PolicyFigures> policies,
    long untimedOperations,
    Around around) {
  /**
   * What is not the dispatcher's.
   *
   * @param backlog messages that wait for the dispatcher
   * @param sessions connections
   * @param readyPercent of the pool
   * @param failedChunks of the pool
   * @param droppedLogLines since the start
   * @param uptimeNanos since the start
   * @param draining whether nothing new is taken
   * @param backing use of the backing tier; null without one
   * @param journal of the policies' decisions
   * @param shadows what others would have kept
   */
  record Around(
      int backlog,
      SessionFigures sessions,
      int readyPercent,
      int failedChunks,
      long droppedLogLines,
      long uptimeNanos,
      boolean draining,
      @Nullable BackingUsage backing,
      Journal.Figures journal,
      ShadowFigures shadows) {
    /** The same with the use of another store. */
    Around with(@Nullable BackingUsage other) {
      return new Around(
          backlog,
          sessions,
          readyPercent,
          failedChunks,
          droppedLogLines,
          uptimeNanos,
          draining,
          other,
          journal,
          shadows);
    }
  }

  Picture {
    copiers = List.copyOf(copiers);
    policies = List.copyOf(policies);
  }
}
