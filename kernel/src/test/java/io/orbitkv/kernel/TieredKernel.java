package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A kernel with one engine and a backing tier that answers when the test says so. A page is named
 * by a number; the tier has one read in flight for a page at most, or the test fails. Each offer is
 * proven.
 */
final class TieredKernel {
  /** Of a page of group 0 and one rank. */
  static final long PAGE = KernelHarness.RUN_BYTES;

  /** The first rank's session; rank r has this plus r. */
  static final long WORKER = 1;

  /** A session of no rank. */
  static final long SCHEDULER = 100;

  static final List<GroupSpec> DENSE = List.of(new GroupSpec(0, new GroupRule.Prefix()));

  /** Attention, and a checkpoint with pages twice as large. */
  static final List<GroupSpec> HYBRID =
      List.of(
          new GroupSpec(0, new GroupRule.Prefix()), new GroupSpec(1, new GroupRule.Checkpoint()));

  static final int PAGE_TOKENS = 16;

  final KernelHarness kernel;
  final int engine;
  final List<GroupSpec> groups;
  private final int ranks;
  private final Namespace[] stores;
  private final Map<PageKey, BackingRead> reads = new HashMap<>();
  private final Map<Long, Command.Write> writes = new HashMap<>();
  private final Map<Long, Command.Answer> answers = new HashMap<>();
  private final List<Long> raised = new ArrayList<>();
  private final List<Long> keeping = new ArrayList<>();

  TieredKernel() {
    this(ReadSettings.DEFAULT);
  }

  TieredKernel(ReadSettings reads) {
    this(settings(1 << 20).with(reads, WriteSettings.NONE), 1L << 30, 1, DENSE);
  }

  TieredKernel(KernelSettings settings, long poolBytes, int ranks, List<GroupSpec> groups) {
    this(settings, poolBytes, ranks, groups, WriteAdmission.ALL);
  }

  TieredKernel(
      KernelSettings settings,
      long poolBytes,
      int ranks,
      List<GroupSpec> groups,
      WriteAdmission admission) {
    this.groups = groups;
    this.ranks = ranks;
    stores = stores(ranks, groups);
    kernel = new KernelHarness(settings, admission, poolBytes);
    kernel.listener = this::hear;
    engine = register(kernel, "engine", ranks, groups);
    kernel.open(SCHEDULER);
  }

  /** Limits in pages; each offer is proven; no backing writes. */
  static KernelSettings settings(long budgetPages) {
    return settings(budgetPages, budgetPages);
  }

  static KernelSettings settings(long budgetPages, long instancePages) {
    return KernelSettings.of(new BudgetLimits(budgetPages * PAGE, instancePages * PAGE), 100_000)
        .withCertificateEvery(1);
  }

  /** Batches of so many pages, one in flight. */
  static ReadSettings batches(int pages) {
    return new ReadSettings(pages * PAGE, 0, Duration.ZERO, 1, false);
  }

  static ReadSettings timeout(Duration timeout, int batchPages, boolean handOver) {
    return new ReadSettings(batchPages * PAGE, 0, timeout, 1, handOver);
  }

  private static int register(
      KernelHarness kernel, String name, int ranks, List<GroupSpec> groups) {
    int handle = -1;
    for (int rank = 0; rank < ranks; rank++) {
      kernel.open(WORKER + rank);
      handle = kernel.register(name, WORKER + rank, layout(rank, ranks, groups)).instance();
    }
    return handle;
  }

  /** Another engine of the same model with one rank on a session of its own. */
  int secondEngine(long session) {
    kernel.open(session);
    return kernel.register("second", session, layout(0, 1, groups)).instance();
  }

  static WorkerLayout layout(int rank, int ranks, List<GroupSpec> groups) {
    List<LayerLayout> layers = new ArrayList<>();
    for (GroupSpec group : groups) {
      for (int i = 0; i < 4 * (group.id() + 1); i++) {
        layers.add(
            new LayerLayout(
                "layer-" + group.id() + "-" + i,
                group.id(),
                layers.size() * 1_000_000L,
                KernelHarness.DEVICE_PAGES,
                500,
                2,
                500,
                1000));
      }
    }
    return new WorkerLayout(rank, ranks, PAGE_TOKENS, -1, groups, layers);
  }

  /** How the tier names the groups: asked of another kernel that writes a page of each. */
  private static Namespace[] stores(int ranks, List<GroupSpec> groups) {
    KernelHarness other =
        new KernelHarness(
            KernelHarness.settings(1L << 40).with(ReadSettings.DEFAULT, WriteSettings.DEFAULT),
            1L << 30);
    int handle = register(other, "other", ranks, groups);
    Namespace[] names = new Namespace[groups.size()];
    for (GroupSpec group : groups) {
      for (int rank = 0; rank < ranks; rank++) {
        publish(other, WORKER + rank, handle, group.id(), PageKey.NONE, 1);
      }
      names[group.id()] = other.only(Command.Write.class).key().namespace();
    }
    return names;
  }

  private void hear(Command command) {
    if (command instanceof Command.Read read) {
      for (BackingRead page : read.batch()) {
        assertNull(reads.put(page.key().key(), page), "a page is read twice at once");
      }
    } else if (command instanceof Command.RaiseRead raise) {
      raised.add(raise.ticket());
    } else if (command instanceof Command.Write write) {
      writes.put(name(write.key()), write);
    } else if (command instanceof Command.KeepGeometries keep) {
      keeping.add(keep.ticket());
    } else if (command instanceof Command.Answer answer) {
      answers.put(answer.operation(), answer);
    }
  }

  // ---- the backing tier ------------------------------------------------------------------------

  static long name(StoredKey key) {
    return key.key().low();
  }

  StoredKey stored(int group, long name) {
    return new StoredKey(stores[group], group, KernelHarness.key(name));
  }

  /** The tier has pages of group 0. */
  void have(long... names) {
    haveOf(0, names);
  }

  void haveOf(int group, long... names) {
    for (long name : names) {
      kernel.step(new Event.PageStored(stored(group, name), PAGE));
    }
  }

  /** The same without the deep check after each step, for many pages. */
  void haveQuietly(long... names) {
    for (long name : names) {
      stepQuietly(new Event.PageStored(stored(0, name), PAGE));
    }
  }

  void arriveQuietly(long... names) {
    for (long name : names) {
      BackingRead read = read(name);
      reads.remove(read.key().key());
      stepQuietly(new Event.PageRead(read.ticket(), BackingStatus.DONE));
    }
  }

  private void stepQuietly(Event event) {
    kernel.kernel.step(event, kernel.nowNanos, this::hear);
  }

  void lose(long name) {
    kernel.step(new Event.PageLost(stored(0, name)));
  }

  /** Names of the pages that the last step submitted, batch by batch. */
  List<List<Long>> batches() {
    return kernel.all(Command.Read.class).stream()
        .map(read -> read.batch().stream().map(page -> name(page.key())).toList())
        .toList();
  }

  /** Names of the pages in flight, ascending. */
  List<Long> inFlight() {
    return reads.keySet().stream().map(PageKey::low).sorted().toList();
  }

  BackingRead read(long name) {
    BackingRead read = reads.get(KernelHarness.key(name));
    assertNotNull(read, "page [" + name + "] is not being read");
    return read;
  }

  /** Pages whose reads ended well. */
  void arrive(long... names) {
    for (long name : names) {
      report(name, BackingStatus.DONE);
    }
  }

  void report(long name, BackingStatus status) {
    BackingRead read = read(name);
    reads.remove(read.key().key());
    kernel.step(new Event.PageRead(read.ticket(), status));
  }

  /** Reads that were raised, by ticket, since the start. */
  List<Long> raised() {
    return raised;
  }

  /** The tier has forgotten what it was not told to keep. */
  void geometriesKept() {
    keeping.forEach(ticket -> kernel.step(new Event.StoreForgot(ticket, BackingStatus.DONE, 0)));
    keeping.clear();
  }

  /** Pages whose writes were submitted and not reported, ascending. */
  List<Long> writing() {
    return writes.keySet().stream().sorted().toList();
  }

  void written(long name, BackingStatus status) {
    Command.Write write = writes.remove(name);
    assertNotNull(write, "page [" + name + "] is not being written");
    kernel.step(new Event.PageWritten(write.ticket(), status));
  }

  Command.Write write(long name) {
    Command.Write write = writes.get(name);
    assertNotNull(write, "page [" + name + "] is not being written");
    return write;
  }

  // ---- host memory -----------------------------------------------------------------------------

  /** Publishes and seals a chain of group 0, rank by rank. */
  void publish(long... names) {
    publishOf(0, names);
  }

  void publishOf(int group, long... names) {
    for (int rank = 0; rank < ranks; rank++) {
      publish(kernel, WORKER + rank, engine, group, PageKey.NONE, names);
    }
  }

  private static void publish(
      KernelHarness kernel, long session, int instance, int group, PageKey parent, long... names) {
    long operation = kernel.operation();
    kernel.step(
        new Event.Publish(
            session,
            operation,
            Event.NO_RECORD,
            instance,
            group,
            0,
            parent,
            KernelHarness.keys(names),
            KernelHarness.places(names.length)));
    kernel.done(kernel.plan());
    kernel.commit(session, operation, true);
  }

  /** Publishes and seals pages that follow another one on its chain; one rank. */
  void publishAfter(long parent, long... names) {
    publish(kernel, WORKER, engine, 0, KernelHarness.key(parent), names);
  }

  /** Makes everything unfindable, also in the tier; returns the operation. */
  long evictEverywhere() {
    long operation = kernel.operation();
    kernel.step(new Event.Evict(SCHEDULER, operation, true));
    return operation;
  }

  /** Waits for everything to be durable; returns the operation. */
  long syncDurably() {
    long operation = kernel.operation();
    kernel.step(new Event.Sync(SCHEDULER, operation, true));
    return operation;
  }

  /** Makes everything unfindable in host memory. */
  void evict() {
    kernel.step(new Event.Evict(SCHEDULER, kernel.operation()));
  }

  // ---- queries ---------------------------------------------------------------------------------

  /** Asks the scheduler's question; returns the operation. */
  long ask(QueryKind kind, long... names) {
    return ask(SCHEDULER, kind, names);
  }

  long ask(long session, QueryKind kind, long... names) {
    long operation = kernel.operation();
    kernel.step(KernelHarness.query(session, operation, 1, -1, engine, kind, names));
    return operation;
  }

  long demand(long... names) {
    return ask(QueryKind.DEMAND, names);
  }

  long prepare(long... names) {
    return ask(QueryKind.PREPARE, names);
  }

  long warm(long... names) {
    return ask(QueryKind.WARM, names);
  }

  /** A question of a named request, as each rank of it asks. */
  Event.Submit question(
      long session, long operation, int revision, QueryKind kind, String request, long... names) {
    return new Event.Submit(
        session,
        operation,
        revision,
        Event.NO_RECORD,
        engine,
        kind,
        request,
        new int[] {0},
        new int[] {names.length},
        KernelHarness.keys(names),
        null);
  }

  /** The demand of a hybrid model that ends after so many pages. */
  RecoveryDemand boundary(int pages) {
    return RecoveryDemand.compile(PAGE_TOKENS, 0, pages * PAGE_TOKENS, groups);
  }

  /** A selected question: attention pages, then one checkpoint. */
  Event.Submit selected(long operation, QueryKind kind, long checkpoint, long... attention) {
    long[] names = Arrays.copyOf(attention, attention.length + 1);
    names[attention.length] = checkpoint;
    return new Event.Submit(
        SCHEDULER,
        operation,
        1,
        Event.NO_RECORD,
        engine,
        kind,
        "request-" + operation,
        new int[] {0, 1},
        new int[] {attention.length, 1},
        KernelHarness.keys(names),
        boundary(attention.length));
  }

  long select(long checkpoint, long... attention) {
    long operation = kernel.operation();
    kernel.step(selected(operation, QueryKind.SELECTED, checkpoint, attention));
    return operation;
  }

  void claim(long operation) {
    claim(operation, true);
  }

  void claim(long operation, boolean countLookup) {
    kernel.step(new Event.Claim(SCHEDULER, operation, 1, Event.NO_RECORD, countLookup));
  }

  void cancel(long operation) {
    kernel.step(new Event.Cancel(SCHEDULER, operation, 1));
  }

  void take(long operation) {
    kernel.step(new Event.Taken(SCHEDULER, operation, 1));
  }

  /** The last answer to an operation. */
  Command.Answer answer(long operation) {
    Command.Answer answer = answers.get(operation);
    assertNotNull(answer, "operation [" + operation + "] was never answered");
    return answer;
  }

  AnswerState state(long operation) {
    return answer(operation).state();
  }

  /** The last answer is an offer of so many pages. */
  LeaseId assertReady(long operation, int hits) {
    Command.Answer answer = answer(operation);
    assertEquals(AnswerState.READY, answer.state(), answer::toString);
    assertEquals(hits, answer.hits());
    return answer.lease();
  }

  void assertState(AnswerState state, long operation) {
    assertEquals(state, state(operation));
  }

  /** Rank 0 restores a whole lease into the first device pages and the copies end well. */
  void restoreAll(long operation) {
    Command.Answer answer = answer(operation);
    kernel.restore(WORKER, engine, answer.lease(), KernelHarness.places(answer.hits()));
    kernel.all(Command.Copy.class).forEach(copy -> kernel.done(copy.plan()));
  }

  // ---- books -----------------------------------------------------------------------------------

  KernelStatus status() {
    return kernel.kernel.status();
  }

  long count(KernelCounter counter) {
    return kernel.counter(counter);
  }

  /** Reserved query bytes, in pages of group 0. */
  long reserved() {
    return status().reservedBytes() / PAGE;
  }

  long speculative() {
    return status().speculativeBytes() / PAGE;
  }

  /** Steps to the kernel's own next deadline. */
  void toDeadline() {
    kernel.nowNanos = kernel.kernel.nextDeadlineNanos();
    kernel.step(new Event.Tick());
  }

  void pass(Duration time) {
    kernel.tickAfter(time);
  }

  /** Nothing is owned any more, and what each counter of a whole says is the sum of its parts. */
  void assertDrained() {
    KernelStatus status = status();
    assertEquals(0, status.reservedBytes());
    assertEquals(0, status.speculativeBytes());
    assertEquals(0, status.operations());
    assertEquals(0, status.leases());
    assertEquals(0, status.reads());
    assertSums();
  }

  void assertSums() {
    KernelStatus status = status();
    assertEquals(
        count(KernelCounter.SPECULATED_BYTES),
        count(KernelCounter.SPECULATED_RESTORED_BYTES)
            + count(KernelCounter.SPECULATED_UNUSED_BYTES)
            + status.speculatedBytes());
    if (status.operations() == 0) {
      assertEquals(
          count(KernelCounter.QUERIES),
          count(KernelCounter.QUERY_HITS)
              + count(KernelCounter.QUERY_PARTIAL_HITS)
              + count(KernelCounter.QUERY_MISSES)
              + count(KernelCounter.QUERIES_CANCELLED)
              + count(KernelCounter.QUERIES_EXPIRED));
      assertEquals(
          count(KernelCounter.QUERY_PAGES),
          count(KernelCounter.QUERY_HIT_PAGES)
              + count(KernelCounter.QUERY_MISSED_PAGES)
              + count(KernelCounter.QUERY_CANCELLED_PAGES));
      assertEquals(
          count(KernelCounter.PREPARATIONS),
          count(KernelCounter.PREPARATIONS_CLAIMED)
              + count(KernelCounter.PREPARATIONS_EXPIRED)
              + count(KernelCounter.PREPARATIONS_GIVEN_UP));
    }
    if (status.reads() == 0) {
      assertEquals(
          count(KernelCounter.READ_PAGES),
          count(KernelCounter.READ_DONE_PAGES)
              + count(KernelCounter.READ_ABSENT_PAGES)
              + count(KernelCounter.READ_CORRUPT_PAGES)
              + count(KernelCounter.READ_FAILED_PAGES));
    }
    assertTrue(
        count(KernelCounter.ADMISSION_QUESTIONS)
            >= count(KernelCounter.ADMISSIONS)
                + count(KernelCounter.ADMISSIONS_PUT_OFF)
                + count(KernelCounter.ADMISSIONS_DROPPED));
    assertEquals(
        count(KernelCounter.WRITE_OFFERED_PAGES),
        count(KernelCounter.WRITTEN_PAGES)
            + count(KernelCounter.WRITE_DUPLICATE_PAGES)
            + count(KernelCounter.WRITE_REFUSED_PAGES)
            + count(KernelCounter.WRITE_PUT_OFF_PAGES)
            + count(KernelCounter.WRITE_BEHIND_GAP_PAGES)
            + count(KernelCounter.WRITE_QUEUE_FULL_PAGES)
            + count(KernelCounter.WRITE_BUDGET_PAGES)
            + count(KernelCounter.WRITE_EVICTED_PAGES)
            + count(KernelCounter.WRITE_STORE_FULL_PAGES)
            + count(KernelCounter.WRITE_FAILED_PAGES)
            + status.queuedWrites()
            + status.writes());
  }
}
