package io.orbitkv.workload.bench;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.Outbox;
import io.orbitkv.kernel.machine.Kernel;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.workload.report.LatencyRecorder;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * A kernel with one engine of one rank, driven by its events as the dispatcher does: the same clock
 * is read before each step, and the maintenance tick comes when it is due. One thread.
 */
final class KernelRig {
  /** Host memory of a page. */
  static final int PAGE_BYTES = 4096;

  private static final long SESSION = 1;
  private static final int GROUP = 0;
  private static final int BOARD_RECORDS = 64;
  private static final int FIRST_REVISION = 1;
  private static final int PAGE_TOKENS = 16;
  private static final long NO_EVENT = 0;
  private static final String NAME = "bench";
  private static final long BUDGET_BYTES = 1L << 40;
  private static final int[] GROUPS = {GROUP};
  private static final CopyOutcome DONE = new CopyOutcome.Done();

  private final UnbackedMemory memory;
  private final Kernel kernel;
  private final int instance;
  private final int[] devicePages = new int[PageChains.LONG];
  private final Outbox outbox = this::received;
  private final ArrayDeque<Command.AskScores> questions = new ArrayDeque<>();
  private @Nullable Command last;
  private long operation;
  private long nextTickNanos;

  /**
   * An empty kernel with a registered engine.
   *
   * @param pages that fit into its memory
   */
  KernelRig(int pages) {
    memory = new UnbackedMemory(pages, PAGE_BYTES);
    BudgetLimits budget = new BudgetLimits(BUDGET_BYTES, BUDGET_BYTES);
    // The memory decides who goes, as it does in a Manager whose pages are not tiny.
    int maxPages = pages + PageChains.LONG;
    kernel = new Kernel(KernelSettings.of(budget, maxPages), memory, new SplittableRandom(1));
    for (HostChunk chunk : memory.chunks()) {
      step(new Event.ChunkReady(chunk));
    }
    step(new Event.SessionOpened(SESSION, BOARD_RECORDS));
    step(
        new Event.Register(
            SESSION,
            ++operation,
            NAME,
            new Namespace("0b".repeat(Namespace.HEX_DIGITS / 2)),
            layout(),
            new DeviceMemoryDescriptor.SharedMemory(1, 0, (long) PAGE_BYTES * PageChains.LONG)));
    DeviceMemory device = () -> {};
    step(new Event.DeviceOpened(expect(Command.OpenDevice.class).registration(), device));
    instance = expect(Command.Registered.class).instance();
    for (int page = 0; page < devicePages.length; page++) {
      devicePages[page] = page;
    }
  }

  private static WorkerLayout layout() {
    LayerLayout layer =
        new LayerLayout("layer", GROUP, 0, PageChains.LONG, PAGE_BYTES, 1, 0, PAGE_BYTES);
    List<GroupSpec> groups = List.of(new GroupSpec(GROUP, new GroupRule.Prefix()));
    return new WorkerLayout(0, 1, PAGE_TOKENS, -1, groups, List.of(layer));
  }

  /**
   * From now on a retention policy is asked, which scores by the last use. It works on this thread,
   * and answers with the step after the one that asked.
   */
  void askRetention() {
    Set<PolicySlot> slots = Set.of(PolicySlot.RETENTION_DRAM);
    step(new Event.Policies(slots, slots));
    while (!questions.isEmpty() || kernel.nextDeadlineNanos() <= System.nanoTime()) {
      step(new Event.Tick());
    }
  }

  private void answerQuestions(long now) {
    for (Command.AskScores question = questions.poll();
        question != null;
        question = questions.poll()) {
      PageColumns columns = question.candidates();
      for (int i = 0; i < columns.size(); i++) {
        columns.scores()[i] = columns.lastUseNanos(i);
      }
      kernel.step(new Event.ScoresAdvice(question.ticket(), columns, false), now, outbox);
    }
  }

  /** Publishes pages until they are findable: submit, copy, commit. */
  void publish(PageKey parent, long[] keys) {
    int pages = keys.length / 2;
    int[] sources = pages == devicePages.length ? devicePages : new int[pages];
    System.arraycopy(devicePages, 0, sources, 0, pages);
    long id = ++operation;
    step(
        new Event.Publish(
            SESSION, id, Event.NO_RECORD, instance, GROUP, NO_EVENT, parent, keys, sources));
    step(new Event.CopyCompleted(expect(Command.Copy.class).plan().id(), DONE));
    step(new Event.Commit(SESSION, id, true));
  }

  /** A query that was not submitted. Call in the order in which they are submitted. */
  Event.Submit query(long[] keys) {
    long id = ++operation;
    return new Event.Submit(
        SESSION,
        id,
        FIRST_REVISION,
        (int) (id % BOARD_RECORDS),
        instance,
        QueryKind.DEMAND,
        NAME,
        GROUPS,
        new int[] {keys.length / 2},
        keys,
        null);
  }

  /** What a client does with a query: submit, see the offer, take it, give the lease back. */
  void queryAndRelease(Event.Submit query) {
    step(query);
    Command.Answer offer = offer(query);
    step(new Event.Taken(SESSION, query.operation(), FIRST_REVISION));
    step(new Event.Release(SESSION, query.operation(), offer.lease()));
  }

  /** The same; the time of each step is recorded. */
  void queryAndRelease(Event.Submit query, LatencyRecorder recorder) {
    long began = System.nanoTime();
    step(query);
    recorder.record(System.nanoTime() - began);
    Command.Answer offer = offer(query);
    Event taken = new Event.Taken(SESSION, query.operation(), FIRST_REVISION);
    began = System.nanoTime();
    step(taken);
    recorder.record(System.nanoTime() - began);
    Event release = new Event.Release(SESSION, query.operation(), offer.lease());
    began = System.nanoTime();
    step(release);
    recorder.record(System.nanoTime() - began);
  }

  /** The answer to a query that was just submitted, which must have found everything. */
  Command.Answer offer(Event.Submit query) {
    Command.Answer answer = expect(Command.Answer.class);
    if (answer.state() != AnswerState.READY || answer.hits() != query.keys().length / 2) {
      throw new IllegalStateException(
          "a query of resident pages was answered "
              + answer.state()
              + " with ["
              + answer.hits()
              + "] pages");
    }
    return answer;
  }

  /** One step. */
  void step(Event event) {
    long now = System.nanoTime();
    if (nextTickNanos - now <= 0) {
      nextTickNanos = now + KernelSettings.TICK.toNanos();
      kernel.step(new Event.Tick(), now, outbox);
    }
    answerQuestions(now);
    kernel.step(event, now, outbox);
  }

  private void received(Command command) {
    if (command instanceof Command.ToPolicies question) {
      heard(question);
    } else {
      last = command;
    }
  }

  private void heard(Command.ToPolicies command) {
    if (command instanceof Command.ObservePages pages) {
      pages.events().recycle();
    } else if (command instanceof Command.AskScores question) {
      questions.add(question);
    }
  }

  /** The books. */
  KernelStatus status() {
    return kernel.status();
  }

  private <C extends Command> C expect(Class<C> type) {
    Command command = last;
    last = null;
    if (!type.isInstance(command)) {
      throw new IllegalStateException(
          "the kernel answered [" + command + "] where it owes a " + type.getSimpleName());
    }
    return type.cast(command);
  }
}
