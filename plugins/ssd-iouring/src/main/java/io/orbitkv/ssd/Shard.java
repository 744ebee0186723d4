package io.orbitkv.ssd;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.ssd.device.DeviceFile;
import io.orbitkv.ssd.device.DeviceUsage;
import io.orbitkv.ssd.device.Devices;
import io.orbitkv.ssd.device.EngineChoice;
import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.device.Transfer;
import io.orbitkv.ssd.store.PageCheck;
import io.orbitkv.ssd.store.Store;
import io.orbitkv.ssd.store.StoreOutbox;
import io.orbitkv.ssd.store.StoreUsage;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * One path: a store, its device and the thread that owns both. Everybody else leaves tasks, results
 * of transfers and of checks in queues; the owner handles them in that order, hands the device what
 * has come together, and waits for the bell.
 *
 * <p>If the owner fails, nobody knows what the device still touches: whatever is open is reported
 * as {@link BackingStatus#UNKNOWN}, and nothing is taken any more.
 */
final class Shard implements AutoCloseable {
  private static final long TICK_NANOS = 250_000_000;

  private final DeviceFile file;
  private final LongSupplier clock;
  private final Checkers checkers;
  private final BackingTier.Listener listener;
  private final System.Logger log;
  private final int mostOpen;
  private final long ownerCheckBytes;
  private final AtomicInteger open = new AtomicInteger();
  private final Queue<Task> tasks = new ConcurrentLinkedQueue<>();
  private final Queue<Completion> completions = new ConcurrentLinkedQueue<>();
  private final Queue<Check> checks = new ConcurrentLinkedQueue<>();
  private final Thread thread;
  private final Doorbell bell;
  private final Store store;
  private final StoreDevice device;
  private final EngineChoice choice;

  // The owner's own.
  private final ArrayDeque<Task> refused = new ArrayDeque<>();
  private final List<Transfer> transfers = new ArrayList<>();
  private final List<Transfer> raised = new ArrayList<>();
  private final List<PageCheck> wanted = new ArrayList<>();
  private final List<Runnable> reports = new ArrayList<>();
  private final Set<Long> reads = new HashSet<>();
  private final Set<Long> writes = new HashSet<>();
  private final Set<Long> evictions = new HashSet<>();
  private final Set<Long> removals = new HashSet<>();
  private final Set<Long> flushes = new HashSet<>();
  private long tickedNanos;
  private boolean running;
  private volatile StoreUsage usage;
  private volatile boolean closing;
  private volatile String failure = "";

  /** What is asked of the owner. */
  private sealed interface Task {
    record Read(BackingRead read) implements Task {}

    record Write(BackingWrite write) implements Task {}

    record Raise(long ticket) implements Task {}

    record Evict(long ticket, StoredKey key) implements Task {}

    record EvictAll(long ticket) implements Task {}

    record Keep(long ticket, Namespace scope, List<Namespace> kept) implements Task {}

    record Flush(long ticket) implements Task {}

    record Score(List<StoredKey> keys, long[] scores) implements Task {}
  }

  private record Completion(Transfer transfer, int error) {}

  private record Check(long number, boolean good) {}

  /** Opens a store that reports to an outbox. */
  @FunctionalInterface
  interface Opening {
    /** Blocking; tells each recovered page. */
    Store open(StoreOutbox outbox);
  }

  /** Makes the device of an open store. */
  @FunctionalInterface
  interface DeviceStart {
    /**
     * Blocking.
     *
     * @param completions heard on the device's threads
     */
    Devices.Started start(Store store, StoreDevice.Completions completions);
  }

  /**
   * Boot thread, blocking. Opens the store and starts its device and its owner.
   *
   * @param file stays the caller's
   * @param mostOpen operations that are taken and not reported
   * @param ownerCheckBytes largest payload that the owner checks itself when nothing else waits
   */
  Shard(
      DeviceFile file,
      int mostOpen,
      long ownerCheckBytes,
      Opening opening,
      DeviceStart starting,
      Checkers checkers,
      BackingTier.Listener listener,
      PluginContext context) {
    this.file = file;
    this.mostOpen = mostOpen;
    this.ownerCheckBytes = ownerCheckBytes;
    this.checkers = checkers;
    this.listener = listener;
    this.clock = context.nanoClock();
    this.log = context.log();
    this.thread = context.threads().newThread(this::run);
    this.bell = new Doorbell(thread);
    this.store = opening.open(new Outbox());
    boolean started = false;
    try {
      Devices.Started engine = starting.start(store, this::completed);
      this.device = engine.device();
      this.choice = engine.choice();
      started = true;
    } finally {
      if (!started) {
        store.close();
      }
    }
    this.usage = store.usage();
    this.tickedNanos = clock.getAsLong();
    thread.start();
  }

  // ---- any thread ------------------------------------------------------------------------------

  /** Whether it was taken; one that was not is to be offered again after a report. */
  boolean read(BackingRead read) {
    return take(new Task.Read(read));
  }

  /** Whether it was taken. */
  boolean write(BackingWrite write) {
    return take(new Task.Write(write));
  }

  void raise(long ticket) {
    add(new Task.Raise(ticket));
  }

  void evict(long ticket, StoredKey key) {
    add(new Task.Evict(ticket, key));
  }

  void evictAll(long ticket) {
    add(new Task.EvictAll(ticket));
  }

  void keep(long ticket, Namespace scope, List<Namespace> kept) {
    add(new Task.Keep(ticket, scope, kept));
  }

  void flush(long ticket) {
    add(new Task.Flush(ticket));
  }

  /** The scores belong to the shard from now on; there may be more of them than keys. */
  void score(List<StoredKey> keys, long[] scores) {
    add(new Task.Score(keys, scores));
  }

  StoreUsage usage() {
    return usage;
  }

  DeviceUsage load() {
    return device.usage();
  }

  EngineChoice choice() {
    return choice;
  }

  Path path() {
    return file.path();
  }

  boolean direct() {
    return file.geometry().direct();
  }

  /** Why it does not write, or is not used any more; empty when healthy. */
  String degraded() {
    return failure.isEmpty() ? usage.degraded() : failure;
  }

  private boolean take(Task task) {
    int before = open.getAndIncrement();
    if (before >= mostOpen) {
      open.decrementAndGet();
      return false;
    }
    add(task);
    return true;
  }

  private void add(Task task) {
    tasks.add(task);
    bell.ring();
  }

  private void completed(Transfer transfer, int error) {
    completions.add(new Completion(transfer, error));
    bell.ring();
  }

  private void checked(long check, boolean good) {
    checks.add(new Check(check, good));
    bell.ring();
  }

  // ---- the owner -------------------------------------------------------------------------------

  private void run() {
    running = true;
    try {
      while (!closing || !store.idle() || workWaits()) {
        boolean worked = work();
        if (closing) {
          store.hurry();
        }
        handOver();
        usage = worked ? store.usage() : usage;
        tell();
        check();
        if (!worked) {
          bell.await(() -> workWaits() || closing, TICK_NANOS);
        }
      }
      store.close();
      usage = store.usage();
      tell();
    } catch (Throwable broken) {
      fail(broken);
    }
  }

  /** Gives the device what has come together. */
  private void handOver() {
    if (!transfers.isEmpty()) {
      device.submit(List.copyOf(transfers));
      transfers.clear();
    }
    raised.forEach(device::raise);
    raised.clear();
  }

  /** Reports go last, so that whoever hears of an end finds the usage of after it. */
  private void tell() {
    reports.forEach(Runnable::run);
    reports.clear();
  }

  /**
   * Has checksums compared. A single one of a small page is compared here when nothing else waits:
   * to wake a checker, and to be woken by it, costs as much as comparing it, and under a light load
   * that is a good part of a read's time. Whatever comes meanwhile waits for that one page.
   */
  private void check() {
    if (wanted.size() == 1 && !workWaits() && wanted.getFirst().payloadBytes() <= ownerCheckBytes) {
      PageCheck only = wanted.removeFirst();
      checks.add(new Check(only.number(), Checkers.good(only)));
      return;
    }
    wanted.forEach(check -> checkers.submit(check, this::checked));
    wanted.clear();
  }

  private boolean workWaits() {
    return !tasks.isEmpty() || !completions.isEmpty() || !checks.isEmpty();
  }

  private boolean work() {
    boolean worked = false;
    for (Completion done = completions.poll(); done != null; done = completions.poll()) {
      store.completed(done.transfer(), done.error());
      worked = true;
    }
    for (Check done = checks.poll(); done != null; done = checks.poll()) {
      store.checked(done.number(), done.good());
      worked = true;
    }
    if (worked) {
      offerAgain();
    }
    for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
      note(task);
      handle(task);
      worked = true;
    }
    long now = clock.getAsLong();
    if (now - tickedNanos >= TICK_NANOS) {
      tickedNanos = now;
      file.change().ifPresent(store::degrade);
      store.tick(now);
      offerAgain();
      worked = true;
    }
    return worked;
  }

  private void note(Task task) {
    switch (task) {
      case Task.Read(BackingRead read) -> reads.add(read.ticket());
      case Task.Write(BackingWrite write) -> writes.add(write.ticket());
      case Task.Evict evict -> evictions.add(evict.ticket());
      case Task.EvictAll(long ticket) -> removals.add(ticket);
      case Task.Keep keep -> removals.add(keep.ticket());
      case Task.Flush(long ticket) -> flushes.add(ticket);
      case Task.Raise _, Task.Score _ -> {}
    }
  }

  private void handle(Task task) {
    switch (task) {
      case Task.Read(BackingRead read) -> {
        if (!store.read(read)) {
          refused.add(task);
        }
      }
      case Task.Write(BackingWrite write) -> {
        if (!store.write(write)) {
          refused.add(task);
        }
      }
      case Task.Raise(long ticket) -> store.raise(ticket);
      case Task.Evict(long ticket, StoredKey key) -> {
        giveUpWrites(key);
        store.evict(ticket, key);
      }
      case Task.EvictAll(long ticket) -> store.evictAll(ticket);
      case Task.Keep(long ticket, Namespace scope, List<Namespace> kept) ->
          store.keep(ticket, scope, kept);
      case Task.Flush(long ticket) -> store.flush(ticket);
      case Task.Score(List<StoredKey> keys, long[] scores) -> {
        for (int i = 0; i < keys.size(); i++) {
          store.score(keys.get(i), scores[i]);
        }
      }
    }
  }

  /** A write that still waits here must not bring back what was evicted after it was offered. */
  private void giveUpWrites(StoredKey key) {
    List<Long> given = new ArrayList<>();
    refused.removeIf(task -> {
      boolean same = task instanceof Task.Write(BackingWrite write) && write.key().equals(key);
      if (same) {
        given.add(((Task.Write) task).write().ticket());
      }
      return same;
    });
    given.forEach(ticket -> written(ticket, BackingStatus.FULL));
  }

  private void written(long ticket, BackingStatus status) {
    writes.remove(ticket);
    open.decrementAndGet();
    reports.add(() -> listener.writeDone(ticket, status));
  }

  /** What the store did not take waits here; reads and writes do not wait for each other. */
  private void offerAgain() {
    boolean reading = true;
    boolean writing = true;
    for (int left = refused.size(); left > 0 && (reading || writing); left--) {
      Task task = refused.remove();
      boolean taken =
          switch (task) {
            case Task.Read(BackingRead read) -> reading && (reading = store.read(read));
            case Task.Write(BackingWrite write) -> writing && (writing = store.write(write));
            case Task.Raise _,
                Task.Evict _,
                Task.EvictAll _,
                Task.Keep _,
                Task.Flush _,
                Task.Score _ ->
                throw new IllegalStateException("[" + task + "] cannot be refused");
          };
      if (!taken) {
        refused.add(task);
      }
    }
  }

  private void fail(Throwable broken) {
    failure = "the store's thread failed: " + broken;
    log.log(
        System.Logger.Level.ERROR,
        "the SSD store at [" + file.path() + "] is not used any more: " + failure,
        broken);
    tell();
    reads.forEach(ticket -> listener.readDone(ticket, BackingStatus.UNKNOWN));
    writes.forEach(ticket -> listener.writeDone(ticket, BackingStatus.UNKNOWN));
    evictions.forEach(listener::evicted);
    removals.forEach(ticket -> listener.forgotten(ticket, BackingStatus.DEVICE_ERROR, 0));
    flushes.forEach(ticket -> listener.flushed(ticket, BackingStatus.DEVICE_ERROR));
    refuseUntilClosed();
  }

  /** After a failure: whatever comes is refused until the tier is closed. */
  private void refuseUntilClosed() {
    while (!closing || !tasks.isEmpty()) {
      for (Task task = tasks.poll(); task != null; task = tasks.poll()) {
        switch (task) {
          case Task.Read(BackingRead read) -> {
            open.decrementAndGet();
            listener.readDone(read.ticket(), BackingStatus.DEVICE_ERROR);
          }
          case Task.Write(BackingWrite write) -> {
            open.decrementAndGet();
            listener.writeDone(write.ticket(), BackingStatus.DEVICE_ERROR);
          }
          case Task.Flush(long ticket) -> listener.flushed(ticket, BackingStatus.DEVICE_ERROR);
          // It is not served any more, whatever the device says when it is opened again.
          case Task.Evict evict -> listener.evicted(evict.ticket());
          case Task.EvictAll(long ticket) ->
              listener.forgotten(ticket, BackingStatus.DEVICE_ERROR, 0);
          case Task.Keep keep -> listener.forgotten(keep.ticket(), BackingStatus.DEVICE_ERROR, 0);
          case Task.Raise _, Task.Score _ -> {}
        }
      }
      bell.await(() -> !tasks.isEmpty() || closing, TICK_NANOS);
    }
  }

  // ---- end -------------------------------------------------------------------------------------

  /** Boot thread, after everything submitted was reported. Stops cleanly. */
  @Override
  public void close() {
    closing = true;
    bell.ring();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    device.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** What the store wants: transfers are gathered, reports passed on. */
  private final class Outbox implements StoreOutbox {
    @Override
    public void transfer(Transfer transfer) {
      transfers.add(transfer);
    }

    @Override
    public void raise(Transfer transfer) {
      raised.add(transfer); // It may not have been handed over yet.
    }

    @Override
    public void check(PageCheck check) {
      wanted.add(check); // Once the device has what it can work on meanwhile.
    }

    @Override
    public void stored(StoredKey key, long payloadBytes) {
      if (running) {
        reports.add(() -> listener.stored(key, payloadBytes));
      } else {
        listener.stored(key, payloadBytes); // Recovery: a million of them must not be gathered.
      }
    }

    @Override
    public void lost(StoredKey key) {
      reports.add(() -> listener.lost(key));
    }

    @Override
    public void readDone(long ticket, BackingStatus status) {
      reads.remove(ticket);
      open.decrementAndGet();
      reports.add(() -> listener.readDone(ticket, status));
    }

    @Override
    public void writeDone(long ticket, BackingStatus status) {
      written(ticket, status);
    }

    @Override
    public void evicted(long ticket) {
      evictions.remove(ticket);
      reports.add(() -> listener.evicted(ticket));
    }

    @Override
    public void forgotten(long ticket, BackingStatus status, long pages) {
      removals.remove(ticket);
      reports.add(() -> listener.forgotten(ticket, status, pages));
    }

    @Override
    public void flushed(long ticket, BackingStatus status) {
      flushes.remove(ticket);
      reports.add(() -> listener.flushed(ticket, status));
    }
  }
}
