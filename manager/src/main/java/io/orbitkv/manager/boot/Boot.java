package io.orbitkv.manager.boot;

import com.google.inject.Guice;
import com.google.inject.Stage;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.admin.StatusReporter;
import io.orbitkv.manager.cell.CellAssignments;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.MetricsExposure;
import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.environment.ManagerLog;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.live.StateFile;
import io.orbitkv.manager.metrics.ManagerMeterRegistry;
import io.orbitkv.manager.metrics.MetricsReporter;
import io.orbitkv.manager.metrics.MetricsServer;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.policy.JournalSettings;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.policy.ShadowPlan;
import io.orbitkv.manager.policy.SlotPlan;
import io.orbitkv.manager.session.SessionSettings;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.shadow.Shadows;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One start of the Manager: the claim of the socket's path first, so that a second Manager touches
 * nothing, then plugins, memory, copiers, the daemon around the kernel, and last the socket.
 * Whatever fails, what was started before is undone in reverse.
 */
public final class Boot implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Boot.class);

  /** Engines' pages are seldom smaller: a table that is full of these needs no word. */
  private static final long NOTABLE_PAGE_BYTES = 64 << 10;

  private final ManagerEnvironment environment;
  private final UndoStack undo;
  private final Path socket;
  private final Daemon daemon;
  private final @Nullable MetricsServer metrics;
  private final String startupLine;
  private final long epoch;
  private boolean closed;
  private boolean clean;

  private Boot(
      Starting starting, Daemon daemon, @Nullable MetricsServer metrics, String startupLine) {
    this.metrics = metrics;
    this.environment = starting.environment();
    this.undo = starting.undo();
    this.socket = starting.socket();
    this.daemon = daemon;
    this.startupLine = startupLine;
    this.epoch = starting.epoch();
  }

  private record Starting(
      BootSettings settings,
      ManagerEnvironment environment,
      ManagerMeterRegistry meters,
      UndoStack undo,
      Path socket,
      long epoch,
      String version) {}

  /**
   * Starts everything and lets clients in.
   *
   * @throws ManagerException when something is in the way; nothing is left behind
   */
  public static Boot start(
      BootSettings settings, ManagerEnvironment environment, Extensions.Source source)
      throws ManagerException {
    // Guice makes classes of its own otherwise, which encapsulated packages do not let it do. It
    // reads this when it loads.
    System.setProperty("guice_bytecode_gen_option", "DISABLED");
    ManagerLog.install(settings.logLevel());
    UndoStack undo = new UndoStack();
    ManagerMeterRegistry meters = new ManagerMeterRegistry(environment.nanoClock());
    undo.push("meters", meters::close);
    try {
      SocketClaim claim =
          undo.push(
              "claim of the socket",
              SocketClaim.of(settings.socket(), settings.socketChosenHere()));
      Starting starting =
          new Starting(settings, environment, meters, undo, claim.path(), newEpoch(), version());
      return start(starting, source);
    } catch (ManagerException refused) {
      undo.close();
      throw refused;
    } catch (RuntimeException | LinkageError failed) {
      undo.close();
      log.debug("the start failed", failed);
      throw ManagerException.runtime("the Manager cannot start: " + failed, failed);
    } catch (Error failed) {
      undo.close();
      throw failed;
    }
  }

  private static Boot start(Starting starting, Extensions.Source source) throws ManagerException {
    UndoStack undo = starting.undo();
    Extensions extensions = undo.pushOnlyClean("plugins", source.open(starting.meters()));
    List<CellShare> shares = CellShare.cells(starting.settings().cells());
    PoolProgress progress = new PoolProgress(CellAssembly.poolBytes(starting.settings(), shares));
    Journal journal = undo.push("journal", journal(starting.settings().journal()));
    CellAssembly assembly =
        new CellAssembly(
            starting.settings(),
            starting.environment(),
            starting.meters(),
            undo,
            extensions,
            journal);
    List<CellParts> cells = new ArrayList<>();
    for (CellShare share : shares) {
      cells.add(assembly.cell(share, progress));
    }
    Shadows shadows = shadows(starting, cells);
    Map<PolicySlot, SlotPlan> plans = plans(extensions.policies());
    ShadowPlan beside = shadowPlan(extensions.policies());
    Daemon daemon = compose(starting, extensions, cells, progress, shadows, journal);
    undo.push("daemon", daemon);
    cells.forEach(cell -> cell.policies().start(plans));
    shadows.configure(beside);
    daemon.start();
    for (CellParts cell : cells) {
      openStore(cell.backing(), starting.settings().backingTier());
      tellOfASmallIndex(cell);
      awaitFirstChunk(cell.progress(), starting.environment().firstChunkTimeout());
    }
    MetricsServer metrics = serveMetrics(starting, daemon);
    try {
      daemon.serve(starting.socket());
    } catch (IOException refused) {
      throw ManagerException.usage(
          "socket ["
              + starting.socket()
              + "] cannot be opened ("
              + refused.getMessage()
              + "): choose another path (`socket`)",
          refused);
    }
    String line =
        StartupLine.of(
            starting.version(),
            starting.socket(),
            starting.settings(),
            List.copyOf(cells.getFirst().copierNames()),
            extensions);
    log.info("{}", line);
    return new Boot(starting, daemon, metrics, line);
  }

  private static Journal journal(JournalSettings settings) throws ManagerException {
    try {
      return Journal.open(settings);
    } catch (IOException refused) {
      throw ManagerException.usage(
          "policies.journal.file: ["
              + settings.file()
              + "] cannot be written ("
              + refused
              + "): choose another path, or none",
          refused);
    }
  }

  // Of the only cell: the configuration names none where there are two.
  private static Shadows shadows(Starting starting, List<CellParts> cells) {
    CellParts cell = cells.getFirst();
    Shadows shadows =
        new Shadows(
            new Shadows.Parts(
                starting.settings().poolBytes(),
                !starting.settings().backingTier().isEmpty(),
                cell.backing()::lastUsage,
                starting.environment().nanoClock()));
    cell.policies().tell(shadows::serving);
    return shadows;
  }

  private static ShadowPlan shadowPlan(PolicyCatalog catalog) throws ManagerException {
    try {
      return catalog.shadows();
    } catch (ConfigException refused) {
      throw ManagerException.usage(String.valueOf(refused.getMessage()), refused);
    }
  }

  private static Map<PolicySlot, SlotPlan> plans(PolicyCatalog catalog) throws ManagerException {
    Map<PolicySlot, SlotPlan> plans = new EnumMap<>(PolicySlot.class);
    try {
      Map<PolicySlot, List<PolicyCatalog.Named>> configured = catalog.configured();
      for (PolicySlot slot : PolicySlot.values()) {
        plans.put(slot, catalog.bind(slot, configured.getOrDefault(slot, List.of())));
      }
      return plans;
    } catch (ConfigException refused) {
      throw ManagerException.usage(String.valueOf(refused.getMessage()), refused);
    }
  }

  private static @Nullable MetricsServer serveMetrics(Starting starting, Daemon daemon)
      throws ManagerException {
    InetSocketAddress address = starting.settings().metricsAddress();
    if (address == null) {
      return null;
    }
    MetricsServer server;
    try {
      server = MetricsServer.start(address, daemon.metrics());
    } catch (IOException refused) {
      throw ManagerException.runtime(
          "metrics.prometheus: ["
              + address.getAddress().getHostAddress()
              + " port "
              + address.getPort()
              + "] cannot be listened on ("
              + refused.getMessage()
              + "): choose another port or address (`metrics.prometheus`, `metrics.address`)",
          refused);
    }
    starting.undo().push("metrics server", server);
    log.info("metrics on {}", server.url());
    MetricsExposure.warning(address).ifPresent(log::warn);
    return server;
  }

  // The dispatcher runs already: it takes in the pages that are recovered.
  private static void openStore(BackingPort backing, String name) throws ManagerException {
    try {
      backing.start();
    } catch (RuntimeException | LinkageError refused) {
      throw ManagerException.runtime(
          "backing tier [" + name + "] cannot be opened: " + refused.getMessage(), refused);
    }
  }

  private static Daemon compose(
      Starting starting,
      Extensions extensions,
      List<CellParts> cells,
      PoolProgress progress,
      Shadows shadows,
      Journal journal) {
    BootSettings settings = starting.settings();
    tellOfASmallTable(settings);
    boolean backed = !settings.backingTier().isEmpty();
    Supplier<Optional<BackingUsage>> usage = () -> BackingSum.of(cells);
    DaemonModule.Given given =
        new DaemonModule.Given(
            starting.environment(),
            sessionSettings(starting, cells.getFirst().kernel()),
            cells,
            assignments(starting),
            progress,
            shadows,
            extensions.policies(),
            journal,
            new StateFile(besideJournal(starting, ".experiment.json")),
            starting.meters(),
            backed
                ? new MetricsReporter.Backing(
                    () -> usage.get().orElseThrow(), BackingSum.each(cells))
                : MetricsReporter.Backing.NONE,
            new StatusReporter.Fixed(
                starting.version(),
                starting.epoch(),
                starting.socket().toString(),
                settings.backingTier(),
                usage,
                backed ? BackingSum.each(cells) : List.of(),
                settings.maxSessions(),
                extensions::plugins,
                extensions::refusals),
            FatalEnd.of(starting.environment().fatalExit()));
    return Guice.createInjector(Stage.PRODUCTION, new DaemonModule(given))
        .getInstance(Daemon.class);
  }

  // Beside the journal where there is one: it may lie where more survives than the socket's folder.
  private static Path besideJournal(Starting starting, String suffix) {
    Path journal = starting.settings().journal().file();
    Path beside = journal == null ? starting.socket() : journal;
    return beside.resolveSibling(beside.getFileName() + suffix);
  }

  private static @Nullable CellAssignments assignments(Starting starting) {
    ArmSplit split = starting.settings().cells();
    return split == null
        ? null
        : starting
            .undo()
            .push(
                "cells of instances",
                CellAssignments.open(split, besideJournal(starting, ".cells.json")));
  }

  private static void tellOfASmallTable(BootSettings settings) {
    long fullPageBytes = settings.poolBytes() / settings.maxPages();
    if (fullPageBytes >= NOTABLE_PAGE_BYTES) {
      log.warn(
          "the table of pages in the heap has room for [{}]: pages of less than [{}] bytes do not"
              + " fill the pool; raise ORBITKV_HEAP if yours are smaller",
          settings.maxPages(),
          fullPageBytes);
    }
  }

  private static void tellOfASmallIndex(CellParts cell) {
    BackingPort backing = cell.backing();
    int known = cell.kernel().writes().maxStoredPages();
    long capacityBytes = backing.usage().map(BackingUsage::capacityBytes).orElse(0L);
    long fullPageBytes = Math.ceilDiv(capacityBytes, Math.max(1, known));
    if (fullPageBytes > NOTABLE_PAGE_BYTES) {
      log.warn(
          "the index in the heap has room for [{}] pages of the store of [{}] bytes: of pages of"
              + " less than [{}] bytes what exceeds that cannot be found; start with"
              + " ORBITKV_HEAP={}m to know all pages of [{}] bytes",
          known,
          capacityBytes,
          fullPageBytes,
          (ManagerConfig.heapBytesForStore(capacityBytes, NOTABLE_PAGE_BYTES) >> 20) + 1,
          NOTABLE_PAGE_BYTES);
    }
  }

  private static SessionSettings sessionSettings(Starting starting, KernelSettings kernel) {
    BootSettings settings = starting.settings();
    return new SessionSettings(
        starting.epoch(),
        starting.version(),
        settings.maxSessions(),
        settings.boardRecords(),
        settings.replyQueue(),
        settings.maxFrameBytes(),
        kernel.limits().maxQueryPages(),
        settings.allowedUsers(),
        starting.environment().helloTimeout(),
        starting.environment().lingerTimeout());
  }

  // A client that publishes right after the start finds memory; the rest of the pool follows while
  // it works.
  private static void awaitFirstChunk(PoolProgress progress, Duration patience) {
    try {
      if (!progress.awaitFirst(patience)) {
        log.info(
            "the pool is still being touched: publishes are dropped until its first part is ready");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static long newEpoch() {
    SecureRandom random = new SecureRandom();
    long epoch = random.nextLong();
    // 0 stands for the Hello of a client that does not know the epoch yet.
    return epoch == 0 ? 1 : epoch;
  }

  /** Version of the Manager: that of its module. */
  public static String version() {
    var descriptor = Boot.class.getModule().getDescriptor();
    return descriptor == null ? "unversioned" : descriptor.rawVersion().orElse("unversioned");
  }

  /** Where clients connect. */
  public Path socket() {
    return socket;
  }

  /** The epoch of this start. */
  public long epoch() {
    return epoch;
  }

  /** The line that the log shows at the start. */
  public String startupLine() {
    return startupLine;
  }

  /** Any thread. Asks the kernel. */
  public KernelStatus kernelStatus() {
    return daemon.reporter().kernel();
  }

  /** Any thread. The deep check of all invariants; a broken one ends the process. */
  public void verify() {
    daemon.cells().verify().join();
  }

  /** Any thread. The status as JSON. */
  public String statusJson() {
    return daemon.reporter().json();
  }

  /**
   * Any thread. The metrics.
   *
   * @param json as one JSON object; otherwise as Prometheus text
   */
  public String metrics(boolean json) {
    return daemon.metrics().export(json);
  }

  /** Where metrics are served over HTTP; null: nowhere. */
  public @Nullable InetSocketAddress metricsAddress() {
    return metrics == null ? null : metrics.address();
  }

  /**
   * Any thread. Takes nothing new and waits until nothing is left.
   *
   * @return false when something is still held
   */
  public synchronized boolean drain(Duration limit) throws InterruptedException {
    if (!clean) {
      clean = daemon.drain(environment.graceTimeout(), limit);
    }
    return clean;
  }

  /**
   * Any thread. Drains within the limit of the environment and undoes everything in reverse.
   * Idempotent.
   */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      clean = drain(environment.shutdownTimeout());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    undo.undo(clean);
    log.info("OrbitKV has ended{}", clean ? "" : ", but not everything had drained");
  }

  /** Any thread, after {@link #close}. Whether nothing was left. */
  public synchronized boolean endedClean() {
    return clean;
  }
}
