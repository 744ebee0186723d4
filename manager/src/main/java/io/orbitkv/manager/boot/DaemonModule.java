package io.orbitkv.manager.boot;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.orbitkv.manager.admin.PolicyControl;
import io.orbitkv.manager.admin.StatusReporter;
import io.orbitkv.manager.cell.CellAssignments;
import io.orbitkv.manager.cell.CellRouter;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.dispatch.DispatchMeter;
import io.orbitkv.manager.dispatch.FatalHandler;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.live.ExperimentBook;
import io.orbitkv.manager.live.ExperimentControl;
import io.orbitkv.manager.live.StateFile;
import io.orbitkv.manager.metrics.DispatcherMeters;
import io.orbitkv.manager.metrics.ManagerMeterRegistry;
import io.orbitkv.manager.metrics.MetricsReporter;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.session.EventSink;
import io.orbitkv.manager.session.MetricsService;
import io.orbitkv.manager.session.PolicyService;
import io.orbitkv.manager.session.SessionDirectory;
import io.orbitkv.manager.session.SessionServer;
import io.orbitkv.manager.session.SessionSettings;
import io.orbitkv.manager.session.StatusService;
import io.orbitkv.manager.shadow.ShadowTap;
import io.orbitkv.manager.shadow.Shadows;
import io.orbitkv.manager.thread.SystemTimers;
import io.orbitkv.manager.thread.Timers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** How the parts of the daemon fit together. */
final class DaemonModule extends AbstractModule {
  private final Given given;

  /** What the boot made before: the values that differ from start to start. */
  record Given(
      ManagerEnvironment environment,
      SessionSettings sessions,
      List<CellParts> cells,
      @Nullable CellAssignments assignments,
      PoolProgress progress,
      Shadows shadows,
      PolicyCatalog catalog,
      Journal journal,
      StateFile experiment,
      ManagerMeterRegistry meters,
      MetricsReporter.Backing store,
      StatusReporter.Fixed fixed,
      FatalHandler fatal) {}

  DaemonModule(Given given) {
    this.given = given;
  }

  @Override
  protected void configure() {
    binder().requireExplicitBindings();
    bind(LongSupplier.class).toInstance(given.environment().nanoClock());
    bind(SessionSettings.class).toInstance(given.sessions());
    bind(PoolProgress.class).toInstance(given.progress());
    bind(FatalHandler.class).toInstance(given.fatal());
    bind(Shadows.class).toInstance(given.shadows());
    bind(PolicyCatalog.class).toInstance(given.catalog());
    bind(Journal.class).toInstance(given.journal());
    bind(StateFile.class).toInstance(given.experiment());
    bind(PolicyService.class).to(PolicyControl.class);
    bind(SessionDirectory.class).in(Singleton.class);
    bind(SessionServer.class).in(Singleton.class);
    bind(StatusService.class).to(StatusReporter.class);
    bind(ManagerMeterRegistry.class).toInstance(given.meters());
    bind(MetricsReporter.Backing.class).toInstance(given.store());
    bind(MetricsService.class).to(MetricsReporter.class);
    bind(Daemon.class).in(Singleton.class);
  }

  @Provides
  @Singleton
  Timers timers(FatalHandler fatal) {
    return new SystemTimers(fatal::fatal);
  }

  @Provides
  @Singleton
  ExperimentBook book(StateFile file, LongSupplier clock) {
    return new ExperimentBook(file, given.cells().size(), clock);
  }

  @Provides
  @Singleton
  RunningCell.All cells(ExperimentBook book, LongSupplier clock, FatalHandler fatal) {
    // Shadows are of one cache: the configuration has none where there are two.
    UnaryOperator<DispatchMeter> hears =
        given.cells().size() == 1
            ? meter -> new ShadowTap(meter, given.shadows())
            : UnaryOperator.identity();
    List<RunningCell> cells = new ArrayList<>();
    for (CellParts parts : given.cells()) {
      cells.add(
          new RunningCell(
              parts,
              book,
              new DispatcherMeters(given.meters(), parts.share().name()),
              clock,
              given.environment().random(),
              hears,
              fatal));
    }
    return new RunningCell.All(cells);
  }

  @Provides
  @Singleton
  Cells named(RunningCell.All cells) {
    return cells.named();
  }

  @Provides
  @Singleton
  EventSink events(Cells cells) {
    CellAssignments assignments = given.assignments();
    return assignments == null
        ? EventSink.of(cells.all().getFirst().dispatcher())
        : new CellRouter(cells, assignments);
  }

  @Provides
  @Singleton
  StatusReporter status(
      Cells cells, SessionDirectory sessions, PoolProgress progress, LongSupplier clock) {
    CellAssignments assignments = given.assignments();
    return new StatusReporter(
        given.fixed(),
        cells,
        assignments == null ? _ -> List.of() : assignments::instances,
        sessions,
        progress,
        clock);
  }

  @Provides
  @Singleton
  ExperimentControl experiments(
      RunningCell.All cells, ExperimentBook book, PolicyCatalog catalog, LongSupplier clock) {
    CellAssignments assignments = given.assignments();
    ArmSplit split = assignments == null ? null : assignments.split();
    return new ExperimentControl(cells.live(), book, catalog, split, clock);
  }

  @Provides
  @Singleton
  PolicyControl policies(
      RunningCell.All cells, PolicyCatalog catalog, ExperimentControl experiments) {
    return new PolicyControl(cells.live(), cells.named(), catalog, experiments, given.shadows());
  }

  @Provides
  @Singleton
  MetricsReporter metrics(
      RunningCell.All cells,
      SessionDirectory sessions,
      PoolProgress progress,
      StatusReporter status,
      MetricsReporter.Backing store,
      Journal journal) {
    return new MetricsReporter(
        given.meters(),
        cells.meters(),
        cells.named(),
        given.cells().getFirst().copiers(),
        sessions,
        progress,
        status,
        store,
        journal,
        given.shadows());
  }
}
