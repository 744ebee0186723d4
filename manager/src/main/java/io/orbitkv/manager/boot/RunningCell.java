package io.orbitkv.manager.boot;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.kernel.machine.Kernel;
import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.dispatch.ChunkRegistration;
import io.orbitkv.manager.dispatch.DeviceThread;
import io.orbitkv.manager.dispatch.DispatchMeter;
import io.orbitkv.manager.dispatch.Dispatcher;
import io.orbitkv.manager.dispatch.FatalHandler;
import io.orbitkv.manager.dispatch.KernelPort;
import io.orbitkv.manager.live.BlockMeter;
import io.orbitkv.manager.live.ExperimentBook;
import io.orbitkv.manager.live.Experiments;
import io.orbitkv.manager.live.LiveCell;
import io.orbitkv.manager.metrics.DispatcherMeters;
import io.orbitkv.manager.policy.PolicyHost;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.random.RandomGenerator;

/**
 * A kernel with everything around it that is its own: a Manager has one, or two where tiers and
 * budgets are divided. Boot thread.
 */
final class RunningCell {
  private static final int MAILBOX_MESSAGES = 8192;

  private final CellShare share;
  private final MemoryTier memory;
  private final BackingPort backing;
  private final PolicyHost policies;
  private final DeviceThread devices = new DeviceThread();
  private final DispatcherMeters meters;
  private final Experiments experiments;
  private final Dispatcher dispatcher;
  private final ChunkRegistration chunks;

  /** The cells that there are, in the order of their numbers. */
  record All(List<RunningCell> cells) {
    All {
      cells = List.copyOf(cells);
    }

    Cells named() {
      return new Cells(
          cells.stream().map(each -> new Cells.Cell(each.name(), each.dispatcher)).toList());
    }

    List<LiveCell> live() {
      return cells.stream().map(RunningCell::live).toList();
    }

    List<DispatcherMeters> meters() {
      return cells.stream().map(each -> each.meters).toList();
    }
  }

  /**
   * Nothing runs yet.
   *
   * @param random of all cells; any thread
   * @param hears what else hears of everything that the dispatcher does, before the given meter
   */
  RunningCell(
      CellParts parts,
      ExperimentBook book,
      DispatcherMeters meters,
      LongSupplier clock,
      RandomGenerator random,
      UnaryOperator<DispatchMeter> hears,
      FatalHandler fatal) {
    this.share = parts.share();
    this.memory = parts.memory();
    this.backing = parts.backing();
    this.policies = parts.policies();
    this.meters = meters;
    KernelPort kernel = KernelPort.of(new Kernel(parts.kernel(), memory, random));
    BlockMeter blocks = new BlockMeter(meters);
    this.experiments = new Experiments(policies, kernel, blocks, book, share.number(), clock);
    this.dispatcher =
        new Dispatcher(
            kernel,
            clock,
            parts.copiers(),
            devices,
            backing,
            fatal,
            MAILBOX_MESSAGES,
            experiments,
            hears.apply(blocks));
    this.chunks =
        new ChunkRegistration(parts.copiers().all(), parts.progress(), dispatcher::report);
  }

  /** Empty when it is the only one. */
  String name() {
    return share.name();
  }

  Dispatcher dispatcher() {
    return dispatcher;
  }

  DeviceThread devices() {
    return devices;
  }

  private LiveCell live() {
    return new LiveCell(name(), dispatcher, backing, policies, experiments);
  }

  /** Starts the dispatcher and the touching of the pool. */
  void start() {
    if (share.divided()) {
      dispatcher.start(name());
    } else {
      dispatcher.start();
    }
    memory.prepare(chunks);
  }

  /** No session is left, and no tick comes any more. Ends what comes before the sessions' rest. */
  void end() {
    chunks.close();
    dispatcher.close();
  }

  /** Last: what the dispatcher asked for is done. */
  void release() {
    backing.close();
    devices.close();
    // Before the plugins whose classes they are.
    policies.close();
  }
}
