package io.orbitkv.manager.boot;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.machine.Kernel;
import io.orbitkv.manager.admin.PolicyControl;
import io.orbitkv.manager.admin.StatusReporter;
import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.ChunkRegistration;
import io.orbitkv.manager.dispatch.Copiers;
import io.orbitkv.manager.dispatch.DeviceThread;
import io.orbitkv.manager.dispatch.Dispatcher;
import io.orbitkv.manager.dispatch.FatalHandler;
import io.orbitkv.manager.dispatch.KernelPort;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.live.BlockMeter;
import io.orbitkv.manager.live.ExperimentControl;
import io.orbitkv.manager.live.Experiments;
import io.orbitkv.manager.live.StateFile;
import io.orbitkv.manager.metrics.DispatcherMeters;
import io.orbitkv.manager.metrics.ManagerMeterRegistry;
import io.orbitkv.manager.metrics.MetricsReporter;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.policy.PolicyHost;
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
import java.util.function.LongSupplier;

/** How the parts of the daemon fit together. */
final class DaemonModule extends AbstractModule {
  private static final int MAILBOX_MESSAGES = 8192;

  private final Given given;

  /** What the boot made before: the values that differ from start to start. */
  record Given(
      ManagerEnvironment environment,
      SessionSettings sessions,
      KernelSettings kernel,
      MemoryTier memory,
      Copiers copiers,
      BackingPort backing,
      PoolProgress progress,
      PolicyHost policies,
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
    bind(MemoryTier.class).toInstance(given.memory());
    bind(Copiers.class).toInstance(given.copiers());
    bind(BackingPort.class).toInstance(given.backing());
    bind(PoolProgress.class).toInstance(given.progress());
    bind(StatusReporter.Fixed.class).toInstance(given.fixed());
    bind(FatalHandler.class).toInstance(given.fatal());
    bind(DeviceThread.class).in(Singleton.class);
    bind(PolicyHost.class).toInstance(given.policies());
    bind(Shadows.class).toInstance(given.shadows());
    bind(PolicyCatalog.class).toInstance(given.catalog());
    bind(Journal.class).toInstance(given.journal());
    bind(StateFile.class).toInstance(given.experiment());
    bind(ExperimentControl.class).in(Singleton.class);
    bind(PolicyControl.class).in(Singleton.class);
    bind(PolicyService.class).to(PolicyControl.class);
    bind(SessionDirectory.class).in(Singleton.class);
    bind(SessionServer.class).in(Singleton.class);
    bind(StatusReporter.class).in(Singleton.class);
    bind(StatusService.class).to(StatusReporter.class);
    bind(ManagerMeterRegistry.class).toInstance(given.meters());
    bind(MetricsReporter.Backing.class).toInstance(given.store());
    bind(DispatcherMeters.class).in(Singleton.class);
    bind(MetricsReporter.class).in(Singleton.class);
    bind(MetricsService.class).to(MetricsReporter.class);
    bind(Daemon.class).in(Singleton.class);
  }

  @Provides
  @Singleton
  KernelPort kernel(MemoryTier memory) {
    return KernelPort.of(new Kernel(given.kernel(), memory, given.environment().random()));
  }

  @Provides
  @Singleton
  Timers timers(FatalHandler fatal) {
    return new SystemTimers(fatal::fatal);
  }

  @Provides
  @Singleton
  BlockMeter blocks(DispatcherMeters meters) {
    return new BlockMeter(meters);
  }

  @Provides
  @Singleton
  Experiments experiments(
      PolicyHost policies,
      KernelPort kernel,
      BlockMeter meter,
      StateFile file,
      LongSupplier clock) {
    return new Experiments(policies, kernel, meter, file, clock);
  }

  @Provides
  @Singleton
  Dispatcher dispatcher(
      KernelPort kernel,
      LongSupplier clock,
      Copiers copiers,
      DeviceThread devices,
      BackingPort backing,
      FatalHandler fatal,
      Experiments policies,
      BlockMeter meters) {
    return new Dispatcher(
        kernel,
        clock,
        copiers,
        devices,
        backing,
        fatal,
        MAILBOX_MESSAGES,
        policies,
        new ShadowTap(meters, given.shadows()));
  }

  @Provides
  @Singleton
  EventSink events(Dispatcher dispatcher) {
    return EventSink.of(dispatcher);
  }

  @Provides
  @Singleton
  ChunkRegistration chunks(Copiers copiers, PoolProgress progress, Dispatcher dispatcher) {
    return new ChunkRegistration(copiers.all(), progress, dispatcher::report);
  }
}
