package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.Transfer;
import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.disk.Flight;
import io.orbitkv.ssd.sim.disk.NativeBytes;
import io.orbitkv.ssd.sim.disk.SimulatedCrash;
import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import io.orbitkv.ssd.sim.rule.Step;
import io.orbitkv.ssd.store.PageCheck;
import io.orbitkv.ssd.store.Store;
import io.orbitkv.ssd.store.StoreOutbox;
import io.orbitkv.ssd.store.StoreUsage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** A store from its opening to its end, with everything that is under way in it. */
@SuppressWarnings("EnumOrdinal") // In a digest alone.
final class Life implements StoreOutbox {
  private static final long TICK_NANOS = 50_000_000L;
  private static final long LIMIT_NANOS = 300_000_000_000L;
  private static final long MOST_PAGE_BYTES = 40 << 10;
  private static final long CHECK_NANOS = 200_000L;
  private static final long DAY_NANOS = 86_400_000_000_000L;

  private final World world;
  private final Store store;
  private final CrashPlan plan;
  private final Chance chance;
  private final Devices devices;
  private final WriteOrder order;
  private final Map<Long, Op> ops = new LinkedHashMap<>();
  private final Map<Transfer, Flight> flights = new HashMap<>();
  private final Map<Flight, Step> steps = new HashMap<>();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final List<Runnable> judgements = new ArrayList<>();
  private long scheduled;
  private long nextTickNanos;
  private long uncertainEvictions;
  private long recordBytes;
  private final long openedNanos;
  private final long openedBudget;

  private record Event(long dueNanos, long order, Runnable what) implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(dueNanos, other.dueNanos);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /** Opens a store; its outbox must hand everything on to the life that is made of it. */
  Life(World world, Store store, CrashPlan plan, WriteOrder order, Chance chance) {
    this.world = world;
    this.store = store;
    this.plan = plan;
    this.order = order;
    this.chance = chance;
    this.devices = new Devices(world.disk, world.faults, plan, world.map, chance);
    this.nextTickNanos = world.nowNanos + TICK_NANOS;
    this.openedNanos = world.nowNanos;
    this.openedBudget = store.usage().budgetBytes() + store.usage().deviceWrittenBytes();
  }

  Store store() {
    return store;
  }

  Collection<Op> ops() {
    return ops.values();
  }

  // ---- what the generator does -----------------------------------------------------------------

  /** Gives a page to the store; false when it did not take it. */
  boolean write(PageLog page, Version version) {
    Op op = begin(Op.Kind.WRITE);
    op.page = page;
    op.version = version;
    op.runs = world.memory.allocate(page.shape, op.ticket);
    if (op.runs.isEmpty()) {
      ops.remove(op.ticket);
      return false;
    }
    byte[] content = version.content();
    int at = 0;
    for (HostRun run : op.runs) {
      NativeBytes.put(run.address(), content, at, (int) run.payloadBytes());
      at += (int) run.payloadBytes();
    }
    page.versions.add(version);
    op.changesAtStart = page.changes;
    op.goingAtStart = page.going > 0;
    BackingWrite write =
        new BackingWrite(op.ticket, page.key, page.scope, op.runs, Version.checksum(content));
    boolean[] taken = new boolean[1];
    call(() -> taken[0] = store.write(write));
    if (!taken[0]) {
      page.versions.removeLast();
      refused(op);
    }
    world.trace.add(() -> (taken[0] ? "taken " : "not taken ") + op + " v" + version.number);
    world.note(1, taken[0] ? op.ticket : -1);
    return taken[0];
  }

  /** Reads a page; false when the store did not take it. */
  boolean read(PageLog page, boolean speculative) {
    Op op = begin(Op.Kind.READ);
    op.page = page;
    op.runs = world.memory.allocate(page.shape, op.ticket);
    if (op.runs.isEmpty()) {
      ops.remove(op.ticket);
      return false;
    }
    world.ledger.reading(op);
    BackingRead read = new BackingRead(op.ticket, page.key, op.runs, speculative);
    boolean[] taken = new boolean[1];
    call(() -> taken[0] = store.read(read));
    if (!taken[0]) {
      refused(op);
    }
    world.trace.add(() -> (taken[0] ? "taken " : "not taken ") + op);
    world.note(2, taken[0] ? op.ticket : -1);
    return taken[0];
  }

  private void refused(Op op) {
    world.tally.count("not-taken");
    world.checks.require(
        Invariant.REPORTED_EXACTLY_ONCE,
        ops.remove(op.ticket) != null,
        () -> op + " was reported although it was not taken");
    op.runs.forEach(world.memory::release);
  }

  void raise(Op op) {
    call(() -> store.raise(op.ticket));
  }

  void evict(PageLog page) {
    Op op = begin(Op.Kind.EVICT);
    op.page = page;
    op.going = world.ledger.going(List.of(page));
    world.trace.add(op::toString);
    call(() -> store.evict(op.ticket, page.key));
  }

  /** Drops those namespaces of a scope that are not kept, or everything. */
  void drop(Drop drop, List<PageLog> pages) {
    Op op = begin(Op.Kind.DROP);
    op.going = world.ledger.going(pages);
    world.trace.add(() -> op + " of " + drop);
    if (drop.scope() == null) {
      call(() -> store.evictAll(op.ticket));
    } else {
      Namespace scope = drop.scope();
      call(() -> store.keep(op.ticket, scope, drop.kept()));
    }
  }

  /**
   * What is dropped.
   *
   * @param scope null for everything
   * @param kept namespaces of the scope that stay
   */
  record Drop(@Nullable Namespace scope, List<Namespace> kept) {}

  void flush() {
    Op op = begin(Op.Kind.FLUSH);
    op.covered = world.ledger.flushing();
    op.promised = world.ledger.promised();
    world.trace.add(op::toString);
    call(() -> store.flush(op.ticket));
  }

  void score(PageLog page, long score) {
    call(() -> store.score(page.key, score));
  }

  private Op begin(Op.Kind kind) {
    Op op = new Op(kind, ++world.tickets, world.nowNanos);
    ops.put(op.ticket, op);
    world.tally.count(
        switch (kind) {
          case READ -> "reads";
          case WRITE -> "writes";
          case EVICT -> "evictions";
          case DROP -> "drops";
          case FLUSH -> "flushes";
        });
    return op;
  }

  /** A call into the store, and the judgement of what it said. */
  private void call(Runnable what) {
    try {
      what.run();
    } catch (SimulatedCrash | InvariantViolation intended) {
      throw intended;
    } catch (RuntimeException | AssertionError failure) {
      throw new InvariantViolation(Invariant.STORE_DOES_NOT_FAIL, Openings.describe(failure));
    }
    while (!judgements.isEmpty()) {
      judgements.removeFirst().run();
    }
  }

  // ---- time ------------------------------------------------------------------------------------

  private void after(long nanos, Runnable what) {
    events.add(new Event(world.nowNanos + nanos, ++scheduled, what));
  }

  /** Lets the next thing happen; returns false when only time passed. */
  boolean step() {
    Event next = events.peek();
    if (next == null || next.dueNanos() > nextTickNanos) {
      world.nowNanos = Math.max(world.nowNanos, nextTickNanos);
      nextTickNanos = world.nowNanos + TICK_NANOS;
      plan.pass(Step.IDLE);
      call(() -> store.tick(world.nowNanos));
      return false;
    }
    events.remove();
    world.nowNanos = Math.max(world.nowNanos, next.dueNanos());
    next.what().run();
    return true;
  }

  /** Time passes in which nobody asks for anything. */
  void pause(long nanos) {
    world.nowNanos += nanos;
    nextTickNanos = world.nowNanos;
  }

  /** Lets everything end that was taken. */
  void drain() {
    long end = world.nowNanos + LIMIT_NANOS;
    while (!ops.isEmpty() || !store.idle()) {
      step();
      if (world.nowNanos > end) {
        String first =
            ops.isEmpty() ? "the store is not idle" : ops.values().iterator().next().toString();
        world.checks.require(
            Invariant.ENDS_IN_TIME,
            false,
            () -> first + " and [" + ops.size() + "] operations have not ended after 300 s");
      }
    }
    world.checks.require(Invariant.ENDS_IN_TIME, true, () -> "");
  }

  /** Compares what was written with the budget that there was and has come. */
  private void checkBudget() {
    long perDay = world.settings.writesPerDayBytes();
    if (perDay == 0) {
      return;
    }
    double earned = (double) (world.nowNanos - openedNanos) / DAY_NANOS * perDay;
    // What was taken and waits, or is moved, may go beyond it.
    long waiting = (long) world.settings.mostPagesInFlight() * MOST_PAGE_BYTES;
    long most =
        (long) (Math.max(0, openedBudget) + earned) + 2 * world.settings.segmentBytes() + waiting;
    world.checks.require(
        Invariant.BUDGET_RESPECTED,
        recordBytes <= most,
        () -> "[" + recordBytes + "] bytes of pages were written, of a budget of [" + most + "]");
  }

  /** Compares the store's books with the notices, when nothing changes them. */
  void checkUsage() {
    if (world.ledger.evictionsUnderWay()) {
      return;
    }
    StoreUsage usage = store.usage();
    checkBudget();
    world.checks.require(
        Invariant.USAGE_ADDS_UP,
        usage.pages() == world.ledger.foundPages()
            && usage.liveBytes() == world.ledger.foundBytes(),
        () ->
            "the store counts ["
                + usage.pages()
                + "] pages of ["
                + usage.liveBytes()
                + "] bytes, and has told ["
                + world.ledger.foundPages()
                + "] of ["
                + world.ledger.foundBytes()
                + "]");
  }

  // ---- the outbox ------------------------------------------------------------------------------

  @Override
  public void transfer(Transfer transfer) {
    Flight flight = world.disk.submit(transfer);
    Set<Op> touched = owners(transfer);
    touched.forEach(op -> op.flying++);
    Step step = classify(flight, touched);
    order.begins(step, flight);
    trail(step, flight, touched);
    steps.put(flight, step);
    world.trace.add(() ->
        "  submit "
            + step
            + " at "
            + place(transfer)
            + (touched.isEmpty() ? "" : " for " + touched));
    flights.put(transfer, flight);
    world.note(3 + transfer.kind().ordinal(), transfer.offset());
    plan.pass(step);
    after(devices.delayNanos(transfer), () -> ended(flight, touched));
  }

  private String place(Transfer transfer) {
    long offset = transfer.offset();
    return transfer.kind() == Transfer.Kind.SYNC
        ? "all"
        : world.map.segment(offset) < 0
            ? Long.toString(offset)
            : "segment "
                + world.map.segment(offset)
                + " block "
                + (offset - world.map.start(offset)) / world.disk.blockBytes()
                + " of "
                + transfer.bytes() / world.disk.blockBytes();
  }

  private Set<Op> owners(Transfer transfer) {
    Set<Op> touched = new HashSet<>();
    boolean writes = transfer.kind() == Transfer.Kind.WRITE;
    for (Span span : transfer.spans()) {
      if (world.memory.holds(span)) {
        Op op = ops.get(world.memory.owner(span));
        world.checks.require(
            Invariant.BUFFERS_OWNED,
            op != null && (op.kind == Op.Kind.WRITE) == writes,
            () -> transfer.kind() + " of memory that no open operation owns");
        if (op != null) {
          touched.add(op);
        }
      }
    }
    return touched;
  }

  private Step classify(Flight flight, Set<Op> touched) {
    if (flight.reads()) {
      return touched.isEmpty() ? Step.REINSERTION_READ : Step.PAGE_READ;
    }
    boolean evicting =
        ops.values().stream().anyMatch(op -> op.kind == Op.Kind.EVICT || op.kind == Op.Kind.DROP);
    if (!flight.writes()) {
      return evicting ? Step.EVICTION : Step.SYNC;
    }
    Step step = order.kind(flight, !touched.isEmpty());
    return step == Step.KILL_LOG && evicting ? Step.EVICTION : step;
  }

  private void trail(Step step, Flight flight, Set<Op> touched) {
    long offset = flight.transfer().offset();
    switch (step) {
      case SUPERBLOCK -> world.budget(store.usage().budgetBytes());
      case SEGMENT_HEADER -> world.trail.segmentBegins(offset);
      case RECORD_HEADER, REINSERTION_HEADER -> {
        Op op = touched.isEmpty() ? null : touched.iterator().next();
        world.trail.add(
            new RecordTrail.Entry(
                offset,
                Arrays.copyOf(flight.bytes(), world.disk.blockBytes()),
                op == null ? null : op.page,
                op == null ? null : op.version));
        world.lastRecordEnd = offset + flight.bytes().length;
        recordBytes += flight.bytes().length;
        if (op == null) {
          world.tally.count("reinsertions");
        }
      }
      default -> {}
    }
  }

  private void ended(Flight flight, Set<Op> touched) {
    Step step = steps.remove(flight);
    flights.remove(flight.transfer());
    if (step == null) {
      throw new IllegalStateException("a flight ended twice");
    }
    int error = devices.end(flight, step);
    for (Op op : touched) {
      op.flying--;
      op.error = error;
      op.landed += error == 0 ? 1 : 0;
    }
    world.trace.add(() ->
        "  end "
            + step
            + " at "
            + place(flight.transfer())
            + (error == 0 ? "" : " error " + error));
    world.note(7, error);
    call(() -> store.completed(flight.transfer(), error));
  }

  @Override
  public void raise(Transfer transfer) {
    world.tally.count("raised");
    world.checks.require(
        Invariant.TRANSFER_FITS,
        flights.containsKey(transfer) && transfer.kind() == Transfer.Kind.SPECULATIVE_READ,
        () -> "a transfer is raised that is not under way or not speculative");
  }

  @Override
  public void check(PageCheck check) {
    after(
        chance.below(CHECK_NANOS),
        () -> {
          boolean good = checksum(check.runs()) == check.checksum();
          world.note(8, good ? 1 : 0);
          plan.pass(Step.IDLE);
          call(() -> store.checked(check.number(), good));
        });
  }

  private static int checksum(List<HostRun> runs) {
    CRC32C crc = new CRC32C();
    for (HostRun run : runs) {
      crc.update(content(List.of(run)));
    }
    return (int) crc.getValue();
  }

  private static byte[] content(List<HostRun> runs) {
    byte[] content = new byte[runs.stream().mapToInt(run -> (int) run.payloadBytes()).sum()];
    int at = 0;
    for (HostRun run : runs) {
      NativeBytes.get(run.address(), content, at, (int) run.payloadBytes());
      at += (int) run.payloadBytes();
    }
    return content;
  }

  @Override
  public void stored(StoredKey key, long payloadBytes) {
    world.trace.add(() -> "stored " + world.ledger.find(key));
    PageLog page = world.ledger.find(key);
    // Older ones may have been forgotten while the device still has them.
    Op newest =
        ops.values().stream()
            .filter(op -> op.kind == Op.Kind.WRITE && op.page == page)
            .filter(op -> op.flying + op.landed > 0)
            .reduce((_, later) -> later)
            .orElse(null);
    world.checks.require(
        Invariant.FOUND_WHEN_COMPLETE,
        newest == null || newest.flying == 0,
        () -> "page " + page + " is told as stored while the device still writes it");
    world.ledger.stored(key, payloadBytes);
  }

  @Override
  public void lost(StoredKey key) {
    world.tally.count("lost");
    world.trace.add(() -> "lost " + world.ledger.find(key));
    world.ledger.lost(key);
  }

  private Op reported(long ticket, Op.Kind kind, Op.Kind other) {
    Op op = ops.remove(ticket);
    world.checks.require(
        Invariant.REPORTED_EXACTLY_ONCE,
        op != null && (op.kind == kind || op.kind == other),
        () -> kind + " " + ticket + " is reported, which is not under way");
    if (op == null) {
      throw new IllegalStateException("unreachable");
    }
    world.checks.require(
        Invariant.BUFFERS_OWNED,
        op.flying == 0,
        () -> op + " is reported while the device still has its memory");
    return op;
  }

  private void endRuns(Op op, BackingStatus status) {
    for (HostRun run : op.runs) {
      if (status == BackingStatus.UNKNOWN) {
        world.memory.quarantine(run);
      } else {
        world.memory.release(run);
      }
    }
  }

  @Override
  public void readDone(long ticket, BackingStatus status) {
    Op op = reported(ticket, Op.Kind.READ, Op.Kind.READ);
    byte[] content = status == BackingStatus.DONE ? content(op.runs) : new byte[0];
    endRuns(op, status);
    world.trace.add(() -> op + " " + status);
    world.note(9, ticket * 8 + status.ordinal());
    world.tally.count("read-" + status);
    judgements.add(() -> judgeRead(op, status, content));
  }

  private void judgeRead(Op op, BackingStatus status, byte[] content) {
    BackingStatus cause = Trouble.of(op.error);
    boolean failed =
        status == BackingStatus.SHORT
            || status == BackingStatus.DEVICE_ERROR
            || status == BackingStatus.UNKNOWN;
    world.checks.require(
        Invariant.FAILURE_NAMES_ITS_CAUSE,
        status != BackingStatus.FULL && (!(failed || op.error != 0) || status == cause),
        () -> op + " ends as " + status + " and its transfer as " + cause);
    switch (status) {
      case DONE -> world.ledger.served(op, content);
      case ABSENT -> world.ledger.absent(op);
      case CORRUPT -> world.ledger.corrupt(op);
      case SHORT, FULL, DEVICE_ERROR, UNKNOWN -> {}
    }
  }

  @Override
  public void writeDone(long ticket, BackingStatus status) {
    Op op = reported(ticket, Op.Kind.WRITE, Op.Kind.WRITE);
    endRuns(op, status);
    world.note(10, ticket * 8 + status.ordinal());
    world.tally.count("write-" + status);
    world.ledger.written(op, status);
    boolean forgotten = op.pageOf().changes != op.changesAtStart || op.goingAtStart;
    world.trace.add(() -> op + " " + status);
    judgements.add(() -> {
      boolean troubled = world.faults.failed() || world.faults.lied();
      world.checks.require(
          Invariant.FAILURE_NAMES_ITS_CAUSE,
          status == BackingStatus.DONE
              || status == BackingStatus.FULL
              || (status == BackingStatus.ABSENT && forgotten)
              || troubled,
          () -> op + " ends as " + status + " although the device did nothing wrong");
    });
  }

  @Override
  public void evicted(long ticket) {
    Op op = reported(ticket, Op.Kind.EVICT, Op.Kind.EVICT);
    world.note(11, ticket);
    world.trace.add(() -> op + " evicted");
    world.ledger.gone(op.going, true);
    // The store counts each of those that it reports without being sure.
    judgements.add(() -> {
      if (store.usage().uncertainEvictions() > uncertainEvictions) {
        uncertain(op);
      }
    });
  }

  private void uncertain(Op op) {
    uncertainEvictions++;
    world.tally.count("uncertain-evictions");
    world.checks.require(
        Invariant.FAILURE_NAMES_ITS_CAUSE,
        world.faults.failed() || world.faults.lied(),
        () -> op + " is called uncertain although the device did nothing wrong");
    world.ledger.uncertain(op.going);
  }

  @Override
  public void forgotten(long ticket, BackingStatus status, long pages) {
    Op op = reported(ticket, Op.Kind.DROP, Op.Kind.DROP);
    world.note(13, ticket * 8 + status.ordinal());
    world.trace.add(() -> op + " " + status);
    boolean durable = status == BackingStatus.DONE;
    world.ledger.gone(op.going, durable);
    judgements.add(() -> {
      if (!durable) {
        uncertain(op);
      }
    });
  }

  @Override
  public void flushed(long ticket, BackingStatus status) {
    Op op = reported(ticket, Op.Kind.FLUSH, Op.Kind.FLUSH);
    world.trace.add(() -> op + " " + status);
    world.note(12, ticket * 8 + status.ordinal());
    world.tally.count("flush-" + status);
    if (status == BackingStatus.DONE) {
      world.ledger.flushed(op.covered, op.promised);
    }
  }
}
