package io.orbitkv.manager.dispatch;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.thread.SerialThread;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The backing tier as the dispatcher uses it: what the tier did not take yet waits here in order
 * and is offered again after each report and each tick, foreground reads before speculative ones. A
 * write gets its checksum on a thread of its own first; how many there are at once is the kernel's
 * to limit. Dispatcher only, unless said otherwise.
 *
 * <p>A ticket is known from its command until its one report; a report that belongs to none is a
 * broken invariant, as with copies. A tier that throws from a submission, or tells a nonsensical
 * number, is not used any more: nobody knows what it took of that call, so the runs of that call
 * are reported as {@link BackingStatus#UNKNOWN}; what was never offered to it ends with {@link
 * BackingStatus#DEVICE_ERROR}.
 */
public final class BackingPort implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BackingPort.class);

  /** Operations of one call to the tier. */
  private static final int MOST_IN_A_CALL = 256;

  /** Notices of recovered pages that may wait for the dispatcher. */
  private static final int MOST_NOTICES = 1 << 16;

  /** Notices of recovered pages that go to the dispatcher together. */
  private static final int NOTICE_BATCH = 4096;

  private static final long NOTICE_PAUSE_NANOS = 50_000;

  private final @Nullable BackingTier tier;
  private final @Nullable SerialThread checksums;
  private final Map<Long, BackingRead> foreground = new LinkedHashMap<>();
  private final Map<Long, BackingRead> speculative = new LinkedHashMap<>();
  private final Map<Long, BackingWrite> writes = new LinkedHashMap<>();
  private final Set<Long> openReads = new HashSet<>();
  private final Set<Long> openWrites = new HashSet<>();
  private final Set<Long> openFlushes = new HashSet<>();
  private final Set<Long> openForgets = new HashSet<>();
  // Reported in the tier's place: it may still report them itself, once.
  private final Set<Long> doubtfulRequests = new HashSet<>();
  private final Set<Long> doubtfulReads = new HashSet<>();
  private final Set<Long> doubtfulWrites = new HashSet<>();
  private final ConcurrentLinkedQueue<BackingWrite> checked = new ConcurrentLinkedQueue<>();
  private final AtomicInteger notices = new AtomicInteger();
  private volatile Consumer<Event> reports = event -> {};
  private volatile Runnable signal = () -> {};
  private volatile String failure = "";
  private volatile boolean abandoned;
  private volatile LongSupplier clock = () -> 0;
  private final AtomicBoolean sampling = new AtomicBoolean();
  private volatile @Nullable BackingUsage lastUsage;
  private final TierMeter reads = new TierMeter();
  private final TierMeter written = new TierMeter();
  // The checksum thread's alone.
  private long lastAllowance = BackingUsage.UNLIMITED;

  private BackingPort(@Nullable BackingTier tier) {
    this.tier = tier;
    this.checksums = tier == null ? null : new SerialThread("orbitkv-checksum");
  }

  /** The port of a tier that is not started yet; closing the port leaves the tier open. */
  public static BackingPort of(BackingTier tier) {
    return new BackingPort(tier);
  }

  /** There is no backing tier. */
  public static BackingPort none() {
    return new BackingPort(null);
  }

  /**
   * The dispatcher's constructor.
   *
   * @param newReports takes events on threads of the tier; never blocks
   * @param newSignal wakes the dispatcher, for {@link #advance}
   * @param newClock monotonic nanoseconds
   */
  void connect(Consumer<Event> newReports, Runnable newSignal, LongSupplier newClock) {
    reports = newReports;
    signal = newSignal;
    clock = newClock;
  }

  /**
   * Boot thread, with the dispatcher running: opens the store and returns once the kernel knows
   * every page that was recovered.
   *
   * @throws RuntimeException of the tier, when it cannot be opened
   */
  public void start() {
    BackingTier opened = tier;
    if (opened == null) {
      return;
    }
    Reports told = new Reports(Thread.currentThread());
    opened.start(told);
    told.started();
    awaitNotices(0);
  }

  /** Any thread. A picture of the tier's use, if there is one. */
  public Optional<BackingUsage> usage() {
    BackingTier opened = tier;
    if (opened == null) {
      return Optional.empty();
    }
    BackingUsage usage = opened.usage();
    return Optional.of(failure.isEmpty() ? usage : usage.degraded(failure));
  }

  /** Any thread. The same as of the last tick: never asks the tier itself, which may hang. */
  public Optional<BackingUsage> lastUsage() {
    return Optional.ofNullable(lastUsage);
  }

  /**
   * What a policy is told of the tier: its use as of the last tick, and what was measured here.
   * Never asks the tier itself, which may hang.
   */
  public TierFacts facts() {
    BackingUsage usage = lastUsage;
    if (usage == null) {
      return facts(Facts.UNKNOWN, Facts.UNKNOWN, Facts.UNKNOWN, Facts.UNKNOWN);
    }
    return facts(
        usage.capacityBytes(),
        Math.max(0, usage.capacityBytes() - usage.usedBytes()),
        usage.queuedReadBytes() + usage.queuedWriteBytes(),
        Math.max(0, usage.writeBudgetLeftBytes()));
  }

  private TierFacts facts(
      long capacityBytes, long freeBytes, long queuedBytes, long writeBudgetLeft) {
    return new TierFacts(
        TierKind.SSD,
        capacityBytes,
        freeBytes,
        queuedBytes,
        reads.bytesPerSecond(),
        written.bytesPerSecond(),
        reads.latencyNanos(),
        writeBudgetLeft);
  }

  // ---- commands ------------------------------------------------------------------------------

  /** Submits a batch of reads, now or as soon as the tier takes them. */
  void read(Command.Read command) {
    for (BackingRead read : command.batch()) {
      if (!openReads.add(read.ticket())) {
        throw new IllegalStateException("read [" + read.ticket() + "] was submitted twice");
      }
      if (unusable()) {
        endRead(read.ticket(), BackingStatus.DEVICE_ERROR);
      } else {
        (read.speculative() ? speculative : foreground).put(read.ticket(), read);
      }
    }
    offerReads();
  }

  /** A read goes before speculative ones from here on: in the line, or in the tier. */
  void raise(long ticket) {
    BackingRead waiting = speculative.remove(ticket);
    if (waiting != null) {
      foreground.put(ticket, new BackingRead(ticket, waiting.key(), waiting.runs(), false));
      offerReads();
    } else if (openReads.contains(ticket) && !foreground.containsKey(ticket) && !unusable()) {
      raiseSubmitted(ticket);
    }
  }

  /** Makes the checksum of a page and submits its write. */
  void write(Command.Write command) {
    if (!openWrites.add(command.ticket())) {
      throw new IllegalStateException("write [" + command.ticket() + "] was submitted twice");
    }
    SerialThread thread = checksums;
    if (thread == null || unusable()) {
      endWrite(command.ticket(), BackingStatus.DEVICE_ERROR);
      return;
    }
    thread.execute(() -> check(command));
  }

  /** Makes durable what the tier reported as written. */
  void flush(long ticket) {
    ask(openFlushes, ticket, tier -> tier.flush(ticket), BackingPort::notFlushed);
  }

  /** Lets the tier forget every page. */
  void empty(long ticket) {
    ask(openForgets, ticket, tier -> tier.evictAll(ticket), BackingPort::notForgotten);
  }

  /** Lets the tier forget the pages of other geometries. */
  void keep(Command.KeepGeometries command) {
    long ticket = command.ticket();
    ask(
        openForgets,
        ticket,
        tier -> tier.keep(ticket, command.scope(), command.kept()),
        BackingPort::notForgotten);
  }

  /** Tells the tier what pages are worth, as advice. */
  void score(Command.ScoreStored command) {
    BackingTier opened = tier;
    if (opened == null || !failure.isEmpty()) {
      return;
    }
    try {
      opened.score(command.keys(), command.scores());
    } catch (RuntimeException | LinkageError | AssertionError broken) {
      // Advice alone: what it stores and reads is not touched by it.
      log.warn("the backing tier failed to take [{}] scores", command.keys().size(), broken);
    }
  }

  private static Event notFlushed(long ticket) {
    return new Event.StoreFlushed(ticket, BackingStatus.DEVICE_ERROR);
  }

  private static Event notForgotten(long ticket) {
    return new Event.StoreForgot(ticket, BackingStatus.DEVICE_ERROR, 0);
  }

  private void ask(
      Set<Long> open, long ticket, Consumer<BackingTier> question, LongFunction<Event> failed) {
    if (!open.add(ticket)) {
      throw new IllegalStateException("request [" + ticket + "] was submitted twice");
    }
    BackingTier opened = tier;
    if (opened == null || !failure.isEmpty()) {
      reports.accept(failed.apply(ticket));
      return;
    }
    try {
      question.accept(opened);
    } catch (RuntimeException | LinkageError | AssertionError broken) {
      fail(broken);
      doubtfulRequests.add(ticket);
      reports.accept(failed.apply(ticket));
    }
  }

  /** Whether {@link #advance} has something to do. */
  boolean workWaits() {
    return !checked.isEmpty();
  }

  /** Submits writes that have their checksum; false when there was none. */
  boolean advance() {
    BackingWrite write = checked.poll();
    if (write == null) {
      return false;
    }
    while (write != null) {
      if (unusable()) {
        endWrite(write.ticket(), BackingStatus.DEVICE_ERROR);
      } else {
        writes.put(write.ticket(), write);
      }
      write = checked.poll();
    }
    offerWrites();
    return true;
  }

  /**
   * Asks the tier what it may write, on a thread of its own, and tells the kernel when that
   * changed. A tier that does not answer holds up its own writes alone.
   */
  void sample() {
    SerialThread thread = checksums;
    if (thread != null && !unusable() && sampling.compareAndSet(false, true)) {
      thread.execute(this::lookAtAllowance);
    }
  }

  // The checksum thread.
  private void lookAtAllowance() {
    try {
      BackingTier opened = tier;
      BackingUsage usage = opened == null ? null : opened.usage();
      lastUsage = usage;
      long left = usage == null ? lastAllowance : usage.writeBudgetLeftBytes();
      if (left != lastAllowance) {
        lastAllowance = left;
        reports.accept(new Event.WriteAllowance(Math.max(0, left)));
      }
    } catch (RuntimeException | LinkageError | AssertionError broken) {
      log.debug("the backing tier does not tell its use", broken);
    } finally {
      sampling.set(false);
    }
  }

  /** Whether anything was asked of the tier that it has not reported. */
  boolean busy() {
    return !checked.isEmpty()
        || !openReads.isEmpty()
        || !openWrites.isEmpty()
        || !openFlushes.isEmpty()
        || !openForgets.isEmpty()
        || sampling.get()
        || notices.get() > 0;
  }

  /** Offers again what the tier did not take, in order. */
  void retry() {
    offerReads();
    offerWrites();
  }

  // ---- reports -------------------------------------------------------------------------------

  /**
   * Notes an event of the tier before the kernel sees it.
   *
   * @return whether the kernel is to see it
   */
  boolean reported(Event event) {
    return switch (event) {
      case Event.PageRead read -> {
        reads.reported(read.ticket(), read.status() == BackingStatus.DONE, clock.getAsLong());
        yield isFirst(read.ticket(), openReads, doubtfulReads, "read");
      }
      case Event.PageWritten write -> {
        written.reported(write.ticket(), write.status() == BackingStatus.DONE, clock.getAsLong());
        yield isFirst(write.ticket(), openWrites, doubtfulWrites, "write");
      }
      case Event.StoreFlushed flushed ->
          isFirst(flushed.ticket(), openFlushes, doubtfulRequests, "flush");
      case Event.StoreForgot forgot ->
          isFirst(forgot.ticket(), openForgets, doubtfulRequests, "request");
      case Event.PageStored _, Event.PageLost _ -> {
        notices.decrementAndGet();
        yield true;
      }
      case Event.PagesStored stored -> {
        notices.addAndGet(-stored.keys().size());
        yield true;
      }
      default -> true;
    };
  }

  private static boolean isFirst(long ticket, Set<Long> open, Set<Long> doubtful, String kind) {
    if (open.remove(ticket)) {
      return true;
    }
    if (doubtful.remove(ticket)) {
      return false;
    }
    throw new IllegalStateException(
        "the backing tier reported " + kind + " [" + ticket + "], which is not outstanding");
  }

  /** The dispatcher has ended: nobody waits for it any more. */
  void abandon() {
    abandoned = true;
  }

  /** Boot thread, after the dispatcher ended. The tier itself is closed by whoever made it. */
  @Override
  public void close() {
    SerialThread thread = checksums;
    if (thread != null) {
      thread.close();
    }
  }

  // ---- inside --------------------------------------------------------------------------------

  private boolean unusable() {
    return tier == null || !failure.isEmpty();
  }

  private void offerReads() {
    // What is foreground and not taken keeps speculative reads back.
    offerAll(foreground);
    if (foreground.isEmpty()) {
      offerAll(speculative);
    }
  }

  private void offerAll(Map<Long, BackingRead> line) {
    boolean more = true;
    while (more) {
      more = offerSome(line);
    }
  }

  /** Whether the tier took a whole call's worth, so that more can be offered. */
  private boolean offerSome(Map<Long, BackingRead> line) {
    BackingTier opened = tier;
    if (line.isEmpty() || opened == null || !failure.isEmpty()) {
      return false;
    }
    List<BackingRead> offered = first(line.values());
    try {
      long now = clock.getAsLong();
      int taken = checkTaken(opened.read(offered), offered.size());
      for (BackingRead read : offered.subList(0, taken)) {
        line.remove(read.ticket());
        reads.submitted(read.ticket(), payloadBytes(read.runs()), now);
      }
      return taken == offered.size();
    } catch (RuntimeException | LinkageError | AssertionError broken) {
      offered.forEach(read -> line.remove(read.ticket()));
      fail(broken);
      for (BackingRead read : offered) {
        doubtfulReads.add(read.ticket());
        endRead(read.ticket(), BackingStatus.UNKNOWN);
      }
      return false;
    }
  }

  private void offerWrites() {
    boolean more = true;
    while (more && !writes.isEmpty()) {
      more = offerSomeWrites();
    }
  }

  private boolean offerSomeWrites() {
    BackingTier opened = tier;
    if (opened == null || !failure.isEmpty()) {
      return false;
    }
    List<BackingWrite> offered = first(writes.values());
    try {
      long now = clock.getAsLong();
      int taken = checkTaken(opened.write(offered), offered.size());
      for (BackingWrite write : offered.subList(0, taken)) {
        writes.remove(write.ticket());
        written.submitted(write.ticket(), payloadBytes(write.runs()), now);
      }
      return taken == offered.size();
    } catch (RuntimeException | LinkageError | AssertionError broken) {
      offered.forEach(write -> writes.remove(write.ticket()));
      fail(broken);
      for (BackingWrite write : offered) {
        doubtfulWrites.add(write.ticket());
        endWrite(write.ticket(), BackingStatus.UNKNOWN);
      }
      return false;
    }
  }

  private void raiseSubmitted(long ticket) {
    BackingTier opened = tier;
    if (opened == null) {
      return;
    }
    try {
      opened.raise(ticket);
    } catch (RuntimeException | LinkageError | AssertionError broken) {
      // Advice alone: the read is under way whatever becomes of it.
      log.warn("the backing tier failed to raise read [{}]", ticket, broken);
    }
  }

  /** The tier is out; what was never offered to it ends here. */
  private void fail(Throwable broken) {
    failure = "it broke its contract: " + broken;
    log.error(
        "the backing tier is not used any more: a submission to it failed, and nobody knows what"
            + " it took",
        broken);
    for (Map<Long, BackingRead> line : List.of(foreground, speculative)) {
      line.keySet().forEach(ticket -> endRead(ticket, BackingStatus.DEVICE_ERROR));
      line.clear();
    }
    writes.keySet().forEach(ticket -> endWrite(ticket, BackingStatus.DEVICE_ERROR));
    writes.clear();
  }

  private void endRead(long ticket, BackingStatus status) {
    reports.accept(new Event.PageRead(ticket, status));
  }

  private void endWrite(long ticket, BackingStatus status) {
    reports.accept(new Event.PageWritten(ticket, status));
  }

  // The checksum thread.
  private void check(Command.Write command) {
    BackingWrite write;
    try {
      write =
          new BackingWrite(
              command.ticket(),
              command.key(),
              command.scope(),
              command.runs(),
              RunChecksum.of(command.runs()));
    } catch (Throwable failed) {
      log.error("the checksum of a page could not be made: it is not written", failed);
      endWrite(command.ticket(), BackingStatus.DEVICE_ERROR);
      return;
    }
    checked.add(write);
    signal.run();
  }

  private static long payloadBytes(List<HostRun> runs) {
    long bytes = 0;
    for (HostRun run : runs) {
      bytes += run.payloadBytes();
    }
    return bytes;
  }

  private static <T> List<T> first(Collection<T> line) {
    List<T> first = new ArrayList<>(Math.min(line.size(), MOST_IN_A_CALL));
    for (T each : line) {
      if (first.size() == MOST_IN_A_CALL) {
        break;
      }
      first.add(each);
    }
    return List.copyOf(first);
  }

  private static int checkTaken(int taken, int offered) {
    if (taken < 0 || taken > offered) {
      throw new IllegalStateException("it took [" + taken + "] of [" + offered + "] operations");
    }
    return taken;
  }

  private void awaitNotices(int limit) {
    while (notices.get() > limit && !abandoned) {
      LockSupport.parkNanos(this, NOTICE_PAUSE_NANOS);
    }
  }

  /** What the tier tells, on its threads. */
  private final class Reports implements BackingTier.Listener {
    private final Thread boot;
    // The boot thread's alone: recovered pages that the dispatcher was not told of.
    private List<StoredKey> recovered = new ArrayList<>();
    private boolean started;

    Reports(Thread boot) {
      this.boot = boot;
    }

    /** The boot thread: the tier's start has returned. */
    void started() {
      tellRecovered();
      started = true;
    }

    private boolean recovers() {
      return Thread.currentThread() == boot && !started;
    }

    // A million recovered pages are told in batches, and not all at once. Only the boot thread,
    // which nothing waits for, is held up.
    @Override
    public void stored(StoredKey key, long bytes) {
      if (recovers()) {
        recovered.add(key);
        if (recovered.size() == NOTICE_BATCH) {
          tellRecovered();
          awaitNotices(MOST_NOTICES);
        }
        return;
      }
      notices.incrementAndGet();
      reports.accept(new Event.PageStored(key, bytes));
    }

    private void tellRecovered() {
      if (!recovered.isEmpty()) {
        notices.addAndGet(recovered.size());
        reports.accept(new Event.PagesStored(recovered));
        recovered = new ArrayList<>();
      }
    }

    @Override
    public void lost(StoredKey key) {
      if (recovers()) {
        tellRecovered();
      }
      notices.incrementAndGet();
      reports.accept(new Event.PageLost(key));
    }

    @Override
    public void readDone(long ticket, BackingStatus status) {
      reports.accept(new Event.PageRead(ticket, status));
    }

    @Override
    public void writeDone(long ticket, BackingStatus status) {
      reports.accept(new Event.PageWritten(ticket, status));
    }

    @Override
    public void evicted(long ticket) {
      log.warn("the backing tier reports eviction [{}], which nobody asked for", ticket);
    }

    @Override
    public void forgotten(long ticket, BackingStatus status, long pages) {
      if (pages > 0) {
        log.info("the backing tier has forgotten [{}] pages ({})", pages, status);
      }
      reports.accept(new Event.StoreForgot(ticket, status, pages));
    }

    @Override
    public void flushed(long ticket, BackingStatus status) {
      reports.accept(new Event.StoreFlushed(ticket, status));
    }
  }
}
