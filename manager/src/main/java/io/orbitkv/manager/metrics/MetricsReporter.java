package io.orbitkv.manager.metrics;

import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.manager.admin.StatusReporter;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.dispatch.CellsPicture;
import io.orbitkv.manager.dispatch.Copiers;
import io.orbitkv.manager.dispatch.DispatcherPicture;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.environment.ManagerLog;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.session.MetricsService;
import io.orbitkv.manager.session.SessionDirectory;
import io.orbitkv.manager.shadow.Shadows;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes an export: asks the dispatcher for one picture, lets every counter and gauge read it, and
 * writes what they say. One export at a time, on a thread of its own. Histograms are read right
 * after the picture and may be ahead of it by what has happened since.
 */
public final class MetricsReporter implements MetricsService, MetricsServer.Source {
  private static final long PATIENCE_SECONDS = 5;
  private static final int WAITING_EXPORTS = 64;
  private static final Duration EXPORT_LIMIT = Duration.ofSeconds(2 * PATIENCE_SECONDS);

  private final ManagerMeterRegistry registry;
  private final List<DispatcherMeters> meters;
  private final Cells cells;
  private final CellFamilies ofCells;
  private final SessionDirectory sessions;
  private final PoolProgress progress;
  private final StatusReporter status;
  private final Backing backing;
  private final Journal journal;
  private final Shadows shadows;
  private final Duration exportLimit;
  private final MetricsJson json = new MetricsJson();
  private final ThreadPoolExecutor exporter =
      new ThreadPoolExecutor(
          1,
          1,
          1,
          TimeUnit.MINUTES,
          new ArrayBlockingQueue<>(WAITING_EXPORTS),
          Thread.ofPlatform().name("orbitkv-metrics-export").daemon(true).factory());
  // Written by an export alone.
  private volatile @Nullable Picture current;

  /**
   * The backing tier, if there is one.
   *
   * @param usage asked for each export, on the thread of whoever exports; null without a tier
   * @param ofCells of each cell's by itself; empty without a tier
   */
  public record Backing(
      @Nullable Supplier<BackingUsage> usage, List<Supplier<BackingUsage>> ofCells) {
    /** No backing tier. */
    public static final Backing NONE = new Backing(null, List.of());

    /** Copies the list. */
    public Backing {
      ofCells = List.copyOf(ofCells);
    }
  }

  /**
   * Registers the Manager's own meters.
   *
   * @param meters of each cell
   * @param copiers of one cell: each has the same kinds
   */
  public MetricsReporter(
      ManagerMeterRegistry registry,
      List<DispatcherMeters> meters,
      Cells cells,
      Copiers copiers,
      SessionDirectory sessions,
      PoolProgress progress,
      StatusReporter status,
      Backing backing,
      Journal journal,
      Shadows shadows) {
    this(
        registry,
        meters,
        cells,
        copiers,
        sessions,
        progress,
        status,
        backing,
        journal,
        shadows,
        EXPORT_LIMIT);
  }

  /**
   * The same with another limit.
   *
   * @param exportLimit how long an export may take, in real time
   */
  MetricsReporter(
      ManagerMeterRegistry registry,
      List<DispatcherMeters> meters,
      Cells cells,
      Copiers copiers,
      SessionDirectory sessions,
      PoolProgress progress,
      StatusReporter status,
      Backing backing,
      Journal journal,
      Shadows shadows,
      Duration exportLimit) {
    this.journal = journal;
    this.shadows = shadows;
    this.exportLimit = exportLimit;
    this.registry = registry;
    this.meters = List.copyOf(meters);
    this.cells = cells;
    this.sessions = sessions;
    this.progress = progress;
    this.status = status;
    this.backing = backing;
    List<String> kinds = copiers.all().stream().map(DeviceCopier::memoryKind).distinct().toList();
    ManagerMeters.register(registry, this::current, kinds, backing.usage() != null);
    ofCells = new CellFamilies(kinds, backing.usage() != null);
    exporter.allowCoreThreadTimeOut(true);
  }

  @Override
  public String export(boolean asJson) {
    List<MetricFamily> families = familiesInTime();
    return asJson ? json.of(families) : PrometheusText.of(families);
  }

  // A gauge of a plugin, or a backing tier that is asked for its use, may hang: then it holds up
  // the one thread of the exports, and neither sessions nor the server.
  private List<MetricFamily> familiesInTime() {
    Future<List<MetricFamily>> export;
    try {
      export = exporter.submit(this::families);
    } catch (RejectedExecutionException full) {
      throw hangs(full);
    }
    try {
      return export.get(exportLimit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof IllegalStateException none) {
        throw none;
      }
      throw new IllegalStateException("the metrics cannot be read: " + failed.getCause(), failed);
    } catch (TimeoutException late) {
      export.cancel(false);
      throw hangs(late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the metrics", interrupted);
    }
  }

  private IllegalStateException hangs(Exception cause) {
    return new IllegalStateException(
        "the metrics did not come within ["
            + exportLimit.toSeconds()
            + "] s: a gauge of a plugin or the backing tier hangs",
        cause);
  }

  @Override
  public String text() {
    return export(false);
  }

  @Override
  public String trouble() {
    try {
      ask();
    } catch (IllegalStateException none) {
      return String.valueOf(none.getMessage());
    }
    return status.isDraining() ? "the Manager is ending" : "";
  }

  /** Any thread but the dispatcher. Everything that is exported, of one moment. */
  synchronized List<MetricFamily> families() {
    CellsPicture inside = ask();
    Picture now = picture(inside.total());
    current = now;
    Map<String, MetricFamily> all = new TreeMap<>();
    for (MetricFamily family : PolicyFamilies.of(now.policies(), now.around().journal())) {
      all.put(family.name(), family);
    }
    for (MetricFamily family : ShadowFamilies.of(now.around().shadows())) {
      all.put(family.name(), family);
    }
    // A plugin's meter that takes a name of the Manager's is left out.
    for (MetricFamily family : MetricFamilies.of(registry)) {
      all.putIfAbsent(family.name(), family);
    }
    if (inside.divided()) {
      for (MetricFamily family : ofCells.of(inside, now.around(), backing.ofCells())) {
        all.put(family.name(), family);
      }
    }
    return List.copyOf(all.values());
  }

  private Picture picture(DispatcherPicture inside) {
    Supplier<BackingUsage> usage = backing.usage();
    return new Picture(
        inside.kernel(),
        inside.copiers(),
        inside.policies(),
        meters.stream().mapToLong(DispatcherMeters::untimedOperations).sum(),
        new Picture.Around(
            cells.backlog(),
            sessions.figures(),
            progress.readyPercent(),
            progress.failedChunks(),
            ManagerLog.droppedLines(),
            status.uptimeNanos(),
            status.isDraining(),
            usage == null ? null : usage.get(),
            journal.figures(),
            shadows.figures()));
  }

  private CellsPicture ask() {
    try {
      return cells.picture().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException ended) {
      throw new IllegalStateException("the Manager has ended", ended);
    } catch (TimeoutException late) {
      throw new IllegalStateException(
          "the dispatcher did not answer within [" + PATIENCE_SECONDS + "] s", late);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while waiting for the dispatcher", interrupted);
    }
  }

  private Picture current() {
    Picture now = current;
    if (now == null) {
      throw new IllegalStateException("a meter was read outside an export");
    }
    return now;
  }
}
