package io.orbitkv.workload.sim.run;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.hardware.Mix;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.InvariantViolation;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A simulated backing tier: it keeps tags, takes its time, and fails in every way it may. */
@SuppressWarnings("EnumOrdinal") // Counters in arrays: they are bumped several times a step.
final class Store {
  private static final long MILLI = 1_000_000;
  private static final int MAX_UNKNOWN_OUTCOMES = 2;
  private static final int MAX_STUCK = 2;

  /** Names of transfers of the store, in the arena: apart from those of plans. */
  private static final long TRANSFER = 1L << 60;

  private final World world;
  private final long seed;
  private final int capacity;
  private final LinkedHashMap<StoredKey, long[]> pages = new LinkedHashMap<>();
  private final Map<String, Long> domains = new HashMap<>();
  private final Map<StoredKey, Namespace> scopes = new HashMap<>();
  private final Map<Long, ReadModel> reads = new HashMap<>();
  private final Set<StoredKey> told = new HashSet<>();
  private final List<ReadModel> stuckReads = new ArrayList<>();
  private final List<Command.Write> stuckWrites = new ArrayList<>();
  private int unknownReads;
  private int unknownWrites;
  private int readsStuck;
  private int writesStuck;
  private boolean ending;
  private boolean emptying;

  // What was reported, to be compared with what is counted.
  final Map<BackingStatus, Long> readReports = new EnumMap<>(BackingStatus.class);
  final Map<BackingStatus, Long> writeReports = new EnumMap<>(BackingStatus.class);

  Store(World world, long seed) {
    this.world = world;
    this.seed = seed;
    this.capacity = 30 + new Chance(seed).below(120);
  }

  private Chance chance(int kind, long ticket) {
    return new Chance(Mix.of(seed, kind, ticket));
  }

  private long delay(Chance chance, Fault slow) {
    if (chance.oneIn(10)) {
      world.tally.fault(slow);
      return chance.below(4_000) * MILLI;
    }
    return chance.below(60) * MILLI + chance.below(MILLI);
  }

  /** Reads in flight. */
  int reading() {
    return reads.size();
  }

  // ---- reads -----------------------------------------------------------------------------------

  void read(Command.Read command) {
    long later = 0;
    boolean partly = command.batch().size() > 1 && chance(1, command.batch().size()).oneIn(3);
    for (int i = 0; i < command.batch().size(); i++) {
      BackingRead read = command.batch().get(i);
      Chance chance = chance(2, read.ticket());
      if (partly && i > 0 && later == 0 && chance.oneIn(2)) {
        // The tier takes only the first ones; the rest is offered again.
        world.tally.fault(Fault.BATCH_PARTLY_TAKEN);
        later = chance.below(100) * MILLI;
      }
      begin(read, chance, later);
    }
  }

  private void begin(BackingRead read, Chance chance, long later) {
    boolean known = told.contains(read.key());
    world.require(Invariant.READS_WHAT_IS_STORED, known, "nothing told that it is stored", read);
    Long domain = domains.get(domain(read.key()));
    if (domain == null) {
      throw new InvariantViolation(
          Invariant.READS_WHAT_IS_STORED, "a read of what was never written: " + read);
    }
    long page = domain << 40 | read.key().key().low();
    ReadModel model = new ReadModel(read, page);
    boolean alone = !world.model.reading.containsKey(page);
    world.require(Invariant.ONE_READ_PER_PAGE, alone, "a second read of the page", read);
    reads.put(read.ticket(), model);
    world.model.reading.put(page, model);
    world.model.pageOf(page).absent(world.steps);
    for (HostRun run : read.runs()) {
      world.arena.beginWrite(run.address(), TRANSFER + read.ticket());
    }
    if (chance.oneIn(30) && readsStuck < MAX_STUCK && !ending) {
      readsStuck++;
      world.tally.fault(Fault.READ_STUCK);
      stuckReads.add(model);
      return;
    }
    BackingStatus status = fate(chance);
    world.later(later + delay(chance, Fault.READ_SLOW), () -> end(model, status));
  }

  private BackingStatus fate(Chance chance) {
    return switch (chance.below(30)) {
      case 0 -> BackingStatus.SHORT;
      case 1 -> BackingStatus.CORRUPT;
      case 2 -> BackingStatus.DEVICE_ERROR;
      case 3 -> unknownReads++ < MAX_UNKNOWN_OUTCOMES ? BackingStatus.UNKNOWN : BackingStatus.DONE;
      default -> BackingStatus.DONE;
    };
  }

  private void end(ReadModel model, BackingStatus fate) {
    BackingRead read = model.read;
    Phase phase = world.effects().phase(model);
    long[] tags = model.evicted ? model.formerTags : pages.get(read.key());
    BackingStatus status =
        fate == BackingStatus.UNKNOWN || tags != null ? fate : BackingStatus.ABSENT;
    world.tally.coverage.visit(phase, happening(status));
    world.model.pageOf(model.page).readReported();
    switch (status) {
      case DONE -> {
        if (!model.evicted) {
          world.model.pageOf(model.page).readStep = world.steps + 1;
        }
      }
      case ABSENT -> {
        world.tally.fault(Fault.READ_ABSENT);
        if (!model.evicted) {
          told.remove(read.key());
        }
      }
      case CORRUPT -> {
        world.tally.fault(Fault.READ_CORRUPT);
        if (!model.evicted) {
          pages.remove(read.key());
          told.remove(read.key());
        }
      }
      case SHORT -> world.tally.fault(Fault.READ_SHORT);
      case DEVICE_ERROR -> world.tally.fault(Fault.READ_ERROR);
      case UNKNOWN -> world.tally.fault(Fault.READ_UNKNOWN);
      case FULL -> throw new IllegalStateException("a read finds no full store");
    }
    for (int rank = 0; rank < read.runs().size(); rank++) {
      long address = read.runs().get(rank).address();
      if (status == BackingStatus.UNKNOWN) {
        world.arena.quarantine(address);
      } else {
        long tag = status == BackingStatus.DONE && tags != null ? tags[rank] : -1 - read.ticket();
        world.arena.endWrite(address, TRANSFER + read.ticket(), tag);
      }
    }
    // An evicted page counts as absent, whatever came of its read.
    boolean late = model.evicted && status == BackingStatus.DONE;
    readReports.merge(late ? BackingStatus.ABSENT : status, 1L, Long::sum);
    reads.remove(read.ticket());
    world.model.reading.remove(model.page);
    world.readEnded(model, status);
  }

  private static Happening happening(BackingStatus status) {
    return switch (status) {
      case DONE -> Happening.READ_DONE;
      case ABSENT -> Happening.READ_ABSENT;
      case CORRUPT -> Happening.READ_CORRUPT;
      case SHORT, DEVICE_ERROR, FULL -> Happening.READ_FAILED;
      case UNKNOWN -> Happening.READ_UNKNOWN;
    };
  }

  void raise(long ticket) {
    ReadModel model = reads.get(ticket);
    if (model == null) {
      throw new InvariantViolation(
          Invariant.JOINED_READ_RAISED, "read [" + ticket + "] is raised and does not run");
    }
    world.require(
        Invariant.JOINED_READ_RAISED, model.speculative, "raised twice, or for nothing", ticket);
    model.speculative = false;
  }

  // ---- writes ----------------------------------------------------------------------------------

  void write(Command.Write write) {
    long[] tags = new long[write.runs().size()];
    for (int rank = 0; rank < tags.length; rank++) {
      tags[rank] = world.arena.beginRead(write.runs().get(rank).address());
    }
    rightPage(write, tags);
    Chance chance = chance(3, write.ticket());
    if (chance.oneIn(60) && writesStuck < MAX_STUCK && !ending) {
      writesStuck++;
      world.tally.fault(Fault.WRITE_STUCK);
      stuckWrites.add(write);
      return;
    }
    BackingStatus status =
        switch (chance.below(30)) {
          case 0, 1 -> BackingStatus.DEVICE_ERROR;
          case 2 -> BackingStatus.FULL;
          case 3 ->
              unknownWrites++ < MAX_UNKNOWN_OUTCOMES ? BackingStatus.UNKNOWN : BackingStatus.DONE;
          default -> BackingStatus.DONE;
        };
    world.later(delay(chance, Fault.WRITE_SLOW), () -> end(write, tags, status));
  }

  /** The page is the one that its key names, or else its key space is mixed with another one. */
  private void rightPage(Command.Write write, long[] tags) {
    for (long tag : tags) {
      world.require(
          Invariant.LEASED_PAGES_COMPLETE,
          tag != Arena.NO_TAG,
          "a page without bytes is written",
          write.key());
    }
    long name = write.key().key().low();
    Long domain = domains.get(domain(write.key()));
    if (domain == null) {
      domain = Shape.domainOf(write.key().group(), name, tags[0]);
      if (domain != null) {
        domains.put(domain(write.key()), domain);
      }
    }
    boolean right = domain != null;
    for (int rank = 0; rank < tags.length && domain != null; rank++) {
      right &= tags[rank] == Shape.tag(domain << 40 | name, rank);
    }
    world.require(Invariant.RIGHT_BYTES, right, "other bytes are written", write.key());
  }

  private static String domain(StoredKey key) {
    return key.namespace().digest() + key.group();
  }

  private void end(Command.Write write, long[] tags, BackingStatus fate) {
    boolean full =
        fate == BackingStatus.DONE && pages.size() >= capacity && !pages.containsKey(write.key());
    BackingStatus status = full ? BackingStatus.FULL : fate;
    for (int rank = 0; rank < tags.length; rank++) {
      long address = write.runs().get(rank).address();
      if (status == BackingStatus.UNKNOWN) {
        world.arena.quarantine(address);
      } else {
        long tag = tags[rank];
        long seen = world.arena.endRead(address);
        world.require(Invariant.CONTENT_CONSTANT, seen == tag, "changed while written", write);
      }
    }
    switch (status) {
      case DONE -> {
        pages.put(write.key(), tags);
        scopes.put(write.key(), write.scope());
        told.add(write.key());
      }
      case FULL -> {
        world.tally.fault(Fault.STORE_FULL);
        Chance chance = chance(4, write.ticket());
        if (chance.oneIn(3)) {
          lose(chance); // What is old makes room.
        }
      }
      case DEVICE_ERROR -> world.tally.fault(Fault.WRITE_ERROR);
      case UNKNOWN -> world.tally.fault(Fault.WRITE_UNKNOWN);
      case ABSENT, CORRUPT, SHORT -> throw new IllegalStateException("no write ends as " + status);
    }
    writeReports.merge(status, 1L, Long::sum);
    world.send(new Event.PageWritten(write.ticket(), status), null);
  }

  /** Advice about pages that it was said to have. */
  void score(Command.ScoreStored scores) {
    world.require(
        Invariant.READS_WHAT_IS_STORED,
        scores.keys().size() == scores.scores().length && told.containsAll(scores.keys()),
        "a score of what nothing told to be stored",
        scores.keys());
  }

  // ---- the store as a whole --------------------------------------------------------------------

  void flush(Command.FlushStore flush) {
    Chance chance = chance(5, flush.ticket());
    BackingStatus status = chance.oneIn(10) ? BackingStatus.DEVICE_ERROR : BackingStatus.DONE;
    world.later(
        chance.below(200) * MILLI,
        () -> world.send(new Event.StoreFlushed(flush.ticket(), status), null));
  }

  void empty(Command.EmptyStore empty) {
    told.clear();
    Chance chance = chance(6, empty.ticket());
    world.later(chance.below(200) * MILLI, () -> emptied(empty, chance));
  }

  private void emptied(Command.EmptyStore empty, Chance chance) {
    if (chance.oneIn(3)) {
      emptying = true;
      repeatNotice(chance); // It was on its way already.
      emptying = false;
    }
    long gone = pages.size();
    for (ReadModel read : reads.values()) {
      // What it has read already is what there was before.
      read.evicted = true;
      read.formerTags = pages.get(read.read.key());
    }
    pages.clear();
    told.clear();
    BackingStatus status = chance.oneIn(10) ? BackingStatus.DEVICE_ERROR : BackingStatus.DONE;
    world.send(new Event.StoreForgot(empty.ticket(), status, gone), null);
  }

  void keep(Command.KeepGeometries keep) {
    Chance chance = chance(7, keep.ticket());
    world.later(chance.below(200) * MILLI, () -> kept(keep));
  }

  private void kept(Command.KeepGeometries keep) {
    long gone = 0;
    for (StoredKey key : List.copyOf(pages.keySet())) {
      if (keep.scope().equals(scopes.get(key)) && !keep.kept().contains(key.namespace())) {
        gone++;
        pages.remove(key);
        told.remove(key);
        world.send(new Event.PageLost(key), null);
      }
    }
    world.send(new Event.StoreForgot(keep.ticket(), BackingStatus.DONE, gone), null);
  }

  /** What may be written changes. */
  void limitWrites(Chance chance) {
    long pagesLeft = chance.below(12);
    if (chance.oneIn(2)) {
      world.tally.fault(Fault.WRITES_LIMITED);
      world.send(new Event.WriteAllowance(pagesLeft * Arena.FRAME_BYTES), null);
    } else {
      world.send(new Event.WriteAllowance(Long.MAX_VALUE), null);
    }
  }

  // ---- notices ---------------------------------------------------------------------------------

  /** A page is lost; the notice comes later, or now. */
  void lose(Chance chance) {
    StoredKey key = reads.isEmpty() || chance.oneIn(2) ? any(chance) : beingRead(chance);
    if (key == null) {
      return;
    }
    world.tally.fault(Fault.PAGE_LOST);
    pages.remove(key);
    world.later(
        chance.below(400) * MILLI,
        () -> {
          if (!pages.containsKey(key)) {
            told.remove(key);
            world.send(new Event.PageLost(key), null);
          }
        });
  }

  /** The same notice again. */
  void repeatNotice(Chance chance) {
    StoredKey key = any(chance);
    if (key != null && (told.contains(key) || emptying)) {
      told.add(key);
      world.tally.fault(Fault.STORED_TWICE);
      world.send(new Event.PageStored(key, 4096), null);
    }
  }

  private StoredKey beingRead(Chance chance) {
    return chance.pick(new ArrayList<>(reads.values())).read.key();
  }

  private @Nullable StoredKey any(Chance chance) {
    return pages.isEmpty() ? null : chance.pick(new ArrayList<>(pages.keySet()));
  }

  /** Whether the kernel was told that the store has a page. */
  boolean told(long page) {
    for (StoredKey key : told) {
      Long domain = domains.get(domain(key));
      if (domain != null && (domain << 40 | key.key().low()) == page) {
        return true;
      }
    }
    return false;
  }

  /** The devices that never report are given up: nobody knows what they still do. */
  void giveUpStuck() {
    ending = true;
    for (ReadModel model : List.copyOf(stuckReads)) {
      stuckReads.remove(model);
      end(model, BackingStatus.UNKNOWN);
    }
    for (Command.Write write : List.copyOf(stuckWrites)) {
      stuckWrites.remove(write);
      end(write, new long[write.runs().size()], BackingStatus.UNKNOWN);
    }
  }
}
