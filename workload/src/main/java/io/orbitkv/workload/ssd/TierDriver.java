package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingWrite;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Plays the dispatcher for a tier: submits what a {@link Load} asks for, takes the reports, and
 * measures from the first offer to the report, as a user of the tier would. One thread, which must
 * be the one that made it.
 *
 * <p>Pages lie in slots: those of reads first, behind them those of writes, each of which has a
 * body of its own (see {@link PageBytes}).
 */
final class TierDriver {
  private static final Duration DRAIN_LIMIT = Duration.ofSeconds(60);
  private static final long NEVER = Long.MAX_VALUE;
  private static final long LONGEST_PARK_NANOS = 100_000_000;

  private final BackingTier tier;
  private final SlotMemory memory;
  private final long pageBytes;
  private final int depth;
  private final PageBytes bytes;
  private final SplittableRandom random;
  private final TierReports reports = new TierReports();
  private final Residents residents = new Residents();
  private final int[] bodyChecksums;
  private final ArrayDeque<Integer> readSlots = new ArrayDeque<>();
  private final ArrayDeque<Integer> writeSlots = new ArrayDeque<>();
  private final Map<Long, Operation> open = new HashMap<>();
  private final ArrayDeque<BackingRead> offeredReads = new ArrayDeque<>();
  private final ArrayDeque<BackingWrite> offeredWrites = new ArrayDeque<>();
  private short[] bodies = new short[1024];
  private long lastTicket;
  private final long firstNumber;
  private long nextNumber;
  private LoadMeter meter = new LoadMeter(0, 0, 0);
  private boolean checking;
  private @Nullable OperationLog log;

  /** Something that was offered and not reported. */
  private record Operation(boolean read, long number, int slot, long offeredNanos, long dueNanos) {}

  /**
   * A driver of a tier that is not started.
   *
   * @param memory holds two times {@code depth} slots
   * @param depth most reads, and most writes, at a time
   */
  TierDriver(BackingTier tier, SlotMemory memory, long pageBytes, int depth, long seed) {
    this(tier, memory, pageBytes, depth, seed, 0);
  }

  /**
   * The same, which writes pages with numbers from {@code firstNumber} on and reads those alone.
   */
  TierDriver(
      BackingTier tier, SlotMemory memory, long pageBytes, int depth, long seed, long firstNumber) {
    this.firstNumber = firstNumber;
    this.nextNumber = firstNumber;
    this.tier = tier;
    this.memory = memory;
    this.pageBytes = pageBytes;
    this.depth = depth;
    this.bytes = new PageBytes(pageBytes);
    this.random = new SplittableRandom(seed);
    this.bodyChecksums = new int[depth];
    for (int slot = 0; slot < depth; slot++) {
      readSlots.add(slot);
      writeSlots.add(slot);
      bodyChecksums[slot] = bytes.fill(memory.slot(depth + slot, pageBytes), slot);
    }
  }

  /** From here on every operation is noted down. */
  void log(OperationLog notes) {
    log = notes;
  }

  /** Starts the tier. */
  void start() {
    tier.start(reports);
    collect();
  }

  /** Pages that can be read. */
  int residentPages() {
    return residents.count();
  }

  /**
   * Does what a load asks for; at its end nothing is open.
   *
   * @throws InterruptedException when interrupted; nothing is open then either
   */
  LoadResult run(Load load) throws InterruptedException {
    long begin = System.nanoTime();
    long counted = begin + load.ramp().toNanos();
    long end = counted + load.time().toNanos();
    meter = new LoadMeter(counted, end, pageBytes);
    checking = load.checked();
    Pace readPace = new Pace(load.reads(), begin);
    Pace writePace = new Pace(load.writes(), begin);
    long reads = 0;
    long writes = 0;
    long now = begin;
    // Of a drained load: how long it sleeps once nothing is open, and until when nothing is
    // offered.
    long sleepNanos = NEVER;
    long sleepEnd = begin;
    while (now < end && !Thread.currentThread().isInterrupted()) {
      if (load.drained()) {
        if (sleepNanos == NEVER && now >= sleepEnd) {
          long ahead = Math.min(readPace.aheadNanos(now), writePace.aheadNanos(now));
          sleepNanos = ahead > 0 && ahead != NEVER ? ahead : NEVER;
        }
        if (sleepNanos != NEVER && open.isEmpty()) {
          sleepEnd = now + sleepNanos;
          sleepNanos = NEVER;
        }
        if (sleepNanos != NEVER || now < sleepEnd) {
          if (!collect()) {
            reports.await(
                Math.min(
                    sleepNanos != NEVER ? LONGEST_PARK_NANOS : sleepEnd - now, LONGEST_PARK_NANOS));
            collect();
          }
          now = System.nanoTime();
          continue;
        }
      }
      while (reads < load.mostReads() && readPace.isDue(now) && canRead()) {
        offerRead(readPace.next(now));
        reads++;
      }
      while (writes < load.mostWrites() && writePace.isDue(now) && canWrite(load.writes())) {
        offerWrite(writePace.next(now));
        writes++;
      }
      submit();
      boolean enough = reads >= load.mostReads() || writes >= load.mostWrites();
      if (enough && open.isEmpty()) {
        break;
      }
      if (!collect()) {
        long due = Math.min(readPace.wakeNanos(now), writePace.wakeNanos(now));
        reports.await(Math.min(Math.min(due, end - now), LONGEST_PARK_NANOS));
        collect();
      }
      now = System.nanoTime();
    }
    meter.end(Math.min(System.nanoTime(), end));
    drain();
    return meter.result();
  }

  // ---- offers ----------------------------------------------------------------------------------

  private boolean canRead() {
    return !readSlots.isEmpty() && residents.count() > 0;
  }

  private boolean canWrite(Load.Stream writes) {
    return depth - writeSlots.size() < writes.depth();
  }

  private void offerRead(long dueNanos) {
    int slot = readSlots.remove();
    long number = residents.any(random);
    if (checking) {
      bytes.poison(memory.slot(slot, pageBytes));
    }
    long ticket = ++lastTicket;
    open.put(ticket, new Operation(true, number, slot, System.nanoTime(), dueNanos));
    offeredReads.add(
        new BackingRead(ticket, PageNumbers.key(number), memory.runs(slot, pageBytes), false));
  }

  private void offerWrite(long dueNanos) {
    int body = writeSlots.remove();
    int slot = depth + body;
    long number = nextNumber++;
    int place = place(number);
    if (place == bodies.length) {
      bodies = Arrays.copyOf(bodies, 2 * bodies.length);
    }
    bodies[place] = (short) body;
    int checksum = bytes.stamp(memory.slot(slot, pageBytes), number, bodyChecksums[body]);
    long ticket = ++lastTicket;
    open.put(ticket, new Operation(false, number, slot, System.nanoTime(), dueNanos));
    offeredWrites.add(
        new BackingWrite(ticket, PageNumbers.key(number), memory.runs(slot, pageBytes), checksum));
  }

  private int place(long number) {
    return Math.toIntExact(number - firstNumber);
  }

  /** Offers what the tier has not taken yet. */
  private void submit() {
    if (!offeredReads.isEmpty()) {
      List<BackingRead> reads = new ArrayList<>(offeredReads);
      remove(offeredReads, tier.read(reads));
    }
    if (!offeredWrites.isEmpty()) {
      List<BackingWrite> writes = new ArrayList<>(offeredWrites);
      remove(offeredWrites, tier.write(writes));
    }
  }

  private static void remove(ArrayDeque<?> offered, int taken) {
    for (int i = 0; i < taken; i++) {
      var _ = offered.remove();
    }
  }

  // ---- reports ---------------------------------------------------------------------------------

  /** Takes all reports that are there; false when there was none. */
  private boolean collect() {
    TierReports.Report report = reports.poll();
    if (report == null) {
      return false;
    }
    for (; report != null; report = reports.poll()) {
      switch (report.kind()) {
        case STORED -> {
          if (report.number() >= firstNumber && report.number() < nextNumber) {
            residents.add(report.number());
          }
        }
        case LOST -> residents.remove(report.number());
        case READ, WRITTEN -> ended(report);
        case DONE -> {}
      }
    }
    return true;
  }

  private void ended(TierReports.Report report) {
    Operation operation = open.remove(report.number());
    if (operation == null) {
      throw new IllegalStateException(
          "the tier reported [" + report.number() + "], which is not outstanding");
    }
    OperationLog notes = log;
    if (notes != null) {
      notes.ended(
          operation.read(),
          operation.dueNanos(),
          operation.offeredNanos(),
          report.nanos(),
          report.status());
    }
    meter.count(
        operation.read(),
        report.status(),
        report.nanos(),
        operation.offeredNanos(),
        operation.dueNanos());
    if (report.status() == BackingStatus.UNKNOWN) {
      // Nobody knows who still writes there: the slot stays out of use.
      return;
    }
    if (!operation.read()) {
      writeSlots.add(operation.slot() - depth);
      return;
    }
    if (checking && report.status() == BackingStatus.DONE) {
      MemorySegment slot = memory.slot(operation.slot(), pageBytes);
      meter.verified(bytes.wrongBytes(slot, operation.number(), bodies[place(operation.number())]));
    }
    readSlots.add(operation.slot());
  }

  /** Waits for everything that is open: its memory is the tier's until then. */
  private void drain() throws InterruptedException {
    boolean interrupted = Thread.interrupted();
    long deadline = System.nanoTime() + DRAIN_LIMIT.toNanos();
    while (!open.isEmpty()) {
      submit();
      if (!collect()) {
        if (System.nanoTime() > deadline) {
          throw new IllegalStateException(
              "the tier has not reported ["
                  + open.size()
                  + "] operations for "
                  + DRAIN_LIMIT.toSeconds()
                  + " s: the device hangs, or it is a mistake of the tier");
        }
        reports.await(LONGEST_PARK_NANOS);
        interrupted |= Thread.interrupted();
      }
    }
    if (interrupted) {
      throw new InterruptedException("stopped");
    }
  }

  /** When the operations of a stream are due. */
  private static final class Pace {
    private final Load.Stream stream;
    private final long begin;
    private long count;

    Pace(Load.Stream stream, long begin) {
      this.stream = stream;
      this.begin = begin;
    }

    boolean isDue(long now) {
      return stream.depth() > 0 && (!stream.paced() || dueNanos() <= now);
    }

    /** The moment at which the next one was due, which is taken as begun by this. */
    long next(long now) {
      long due = stream.paced() ? dueNanos() : now;
      count++;
      return due;
    }

    /** How long until the next one is due; for one that is due, and for none, no limit. */
    long wakeNanos(long now) {
      if (stream.depth() == 0 || !stream.paced()) {
        return NEVER;
      }
      long left = dueNanos() - now;
      return left > 0 ? left : NEVER;
    }

    /** How long until the next one is due; zero or less when it is; no limit for none. */
    long aheadNanos(long now) {
      if (stream.depth() == 0) {
        return NEVER;
      }
      return stream.paced() ? dueNanos() - now : 0;
    }

    private long dueNanos() {
      return begin + (long) (count * 1e9 / stream.perSecond());
    }
  }
}
