package io.orbitkv.manager.admin;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.dispatch.CellsPicture;
import io.orbitkv.manager.dispatch.DispatcherPicture;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.session.SessionDirectory;
import io.orbitkv.manager.session.StatusService;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Puts the status together: what the kernel knows, asked on the dispatcher, and what the parts
 * around it know.
 */
public final class StatusReporter implements StatusService {
  private static final Logger log = LoggerFactory.getLogger(StatusReporter.class);

  private final Fixed fixed;
  private final Cells cells;
  private final IntFunction<List<String>> instances;
  private final SessionDirectory sessions;
  private final PoolProgress progress;
  private final LongSupplier clock;
  private final long startNanos;
  private final JsonMapper mapper = JsonMapper.builder().build();
  private volatile boolean draining;

  /**
   * What does not change while the Manager runs, and the plugins.
   *
   * @param version of the Manager
   * @param epoch of the Manager
   * @param socket path
   * @param backingTier name of the tier behind host memory; empty without one
   * @param backing asked for its use; empty without one
   * @param backingOfCells each cell's asked for its use; empty without one
   * @param sessionLimit most sessions
   */
  public record Fixed(
      String version,
      long epoch,
      String socket,
      String backingTier,
      Supplier<Optional<BackingUsage>> backing,
      List<Supplier<BackingUsage>> backingOfCells,
      int sessionLimit,
      Supplier<List<StatusReport.PluginLine>> plugins,
      Supplier<List<StatusReport.RefusalLine>> refusals) {
    /** Copies the list. */
    public Fixed {
      backingOfCells = List.copyOf(backingOfCells);
    }
  }

  /**
   * Starts the uptime.
   *
   * @param instances that belong to a cell, by its number from 0
   */
  public StatusReporter(
      Fixed fixed,
      Cells cells,
      IntFunction<List<String>> instances,
      SessionDirectory sessions,
      PoolProgress progress,
      LongSupplier clock) {
    this.fixed = fixed;
    this.cells = cells;
    this.instances = instances;
    this.sessions = sessions;
    this.progress = progress;
    this.clock = clock;
    this.startNanos = clock.getAsLong();
  }

  /** Any thread. From now on the status says that nothing new is taken. */
  public void draining() {
    draining = true;
  }

  /** Any thread. Whether nothing new is taken. */
  public boolean isDraining() {
    return draining;
  }

  /** Any thread. Nanoseconds since the start. */
  public long uptimeNanos() {
    return clock.getAsLong() - startNanos;
  }

  /**
   * Any thread but the dispatcher. The kernel's picture; waits for the dispatcher.
   *
   * @throws IllegalStateException when the Manager has ended
   */
  public KernelStatus kernel() {
    return picture().total().kernel();
  }

  private CellsPicture picture() {
    try {
      return cells.picture().join();
    } catch (CompletionException ended) {
      throw new IllegalStateException("the Manager has ended", ended);
    }
  }

  private @Nullable BackingUsage usage() {
    return usage(() -> fixed.backing().get().orElse(null));
  }

  private static @Nullable BackingUsage usage(Supplier<? extends @Nullable BackingUsage> asked) {
    try {
      return asked.get();
    } catch (RuntimeException | LinkageError broken) {
      log.warn("the backing tier does not tell its use", broken);
      return null;
    }
  }

  @Override
  public String json() {
    CellsPicture all = picture();
    DispatcherPicture picture = all.total();
    return new StatusReport(
            fixed.version(),
            fixed.epoch(),
            fixed.socket(),
            uptimeNanos(),
            draining,
            fixed.sessionLimit(),
            picture.kernel(),
            progress.readyPercent(),
            progress.failedChunks(),
            fixed.backingTier(),
            usage(),
            cells.backlog(),
            sessions.infos(),
            fixed.plugins().get(),
            fixed.refusals().get(),
            picture.policies(),
            all.divided() ? cellReports(all) : List.of())
        .json(mapper);
  }

  private List<CellReport> cellReports(CellsPicture all) {
    List<CellReport> reports = new ArrayList<>();
    for (int i = 0; i < all.parts().size(); i++) {
      CellsPicture.Part part = all.parts().get(i);
      List<String> names = instances.apply(i);
      reports.add(
          new CellReport(
              part.cell(),
              part.picture().variants().current(),
              part.picture().kernel(),
              i < fixed.backingOfCells().size() ? usage(fixed.backingOfCells().get(i)) : null,
              names.size(),
              part.picture().policies(),
              names.subList(0, Math.min(names.size(), CellReport.MOST_INSTANCES))));
    }
    return reports;
  }
}
