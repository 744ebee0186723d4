package io.orbitkv.kernel;

import static io.orbitkv.kernel.KernelHarness.query;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What one client, or all of them, may leave pending in the heap. */
class PendingLimitTest {
  private static final int LARGEST = 1 << 16;
  private static final int LARGEST_IN_LIMIT = 64;

  private static final long[] KEYS = keys();

  private static long[] keys() {
    long[] keys = new long[2 * LARGEST];
    Arrays.fill(keys, 77);
    return keys;
  }

  private static Event.Submit large(long operation, int revision, int instance) {
    return new Event.Submit(
        1,
        operation,
        revision,
        Event.NO_RECORD,
        instance,
        QueryKind.DEMAND,
        "request-1-" + operation,
        new int[] {0},
        new int[] {LARGEST},
        KEYS,
        null);
  }

  private static AnswerState answer(KernelHarness kernel) {
    return kernel.only(Command.Answer.class).state();
  }

  private static ErrorCode refused(KernelHarness kernel) {
    return kernel.only(Command.Refused.class).error();
  }

  // ---- leases ----------------------------------------------------------------------------------

  @Test
  void query_beyondTheLeasesOfASession_isBusyAndKeepsItsId() {
    KernelHarness kernel = new KernelHarness();
    int engine = kernel.instance("engine", 1);
    kernel.open(2);
    kernel.store(1, engine, 1);
    Command.Answer last = kernel.lease(1, engine, 1);
    for (int i = 1; i < KernelSettings.SESSION_LEASES; i++) {
      // The deep check of each of so many steps would take minutes.
      long operation = kernel.operation();
      kernel.kernel.step(
          query(1, operation, 1, -1, engine, 1), kernel.nowNanos, kernel.commands::add);
      kernel.kernel.step(new Event.Taken(1, operation, 1), kernel.nowNanos, kernel.commands::add);
    }
    assertEquals(KernelSettings.SESSION_LEASES, kernel.kernel.status().leases());
    long operation = kernel.operation();
    Event.Submit submit = query(1, operation, 1, -1, engine, 1);
    kernel.step(submit);
    assertEquals(AnswerState.BUSY, answer(kernel));
    assertEquals(1, kernel.counter(KernelCounter.OPERATIONS_BUSY));
    assertEquals(AnswerState.READY, kernel.ask(2, engine, 1).state());
    kernel.release(1, last.lease());
    kernel.step(submit);
    assertEquals(AnswerState.READY, answer(kernel));
  }

  @Test
  void answeredQuery_keepsNoKeysAndKnowsItsQuestion() {
    KernelHarness kernel = new KernelHarness();
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1, 2);
    Event.Submit submit = query(1, 10, 1, -1, engine, 1, 2);
    kernel.step(submit);
    assertEquals(AnswerState.READY, answer(kernel));
    // Whoever still looked at these keys would now see another question.
    Arrays.fill(submit.keys(), 0);
    kernel.step(query(1, 10, 1, -1, engine, 1, 2));
    assertEquals(AnswerState.READY, answer(kernel));
    kernel.step(query(1, 10, 1, -1, engine, 2, 1));
    assertEquals(ErrorCode.INVALID, refused(kernel));
    kernel.step(query(1, 10, 1, 3, engine, 1, 2));
    assertEquals(ErrorCode.INVALID, refused(kernel));
    kernel.step(query(1, 10, 1, -1, engine, QueryKind.PRODUCER_WAIT, 1, 2));
    assertEquals(ErrorCode.INVALID, refused(kernel));
    kernel.step(query(1, 10, 2, -1, engine, 2, 1));
    assertEquals(AnswerState.READY, answer(kernel));
  }

  // ---- keys of queries -------------------------------------------------------------------------

  @Test
  void queries_withMoreKeysThanMayWait_areBusy() {
    long budget = LARGEST * KernelHarness.RUN_BYTES;
    KernelHarness kernel =
        new KernelHarness(KernelSettings.of(new BudgetLimits(budget, budget), 100_000), 1L << 30);
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1);
    Command.Answer lease = kernel.lease(1, engine, 1);
    long first = kernel.operation();
    kernel.step(large(first, 1, engine));
    assertEquals(AnswerState.LOADING, answer(kernel));
    for (int i = 1; i < LARGEST_IN_LIMIT; i++) {
      kernel.step(large(kernel.operation(), 1, engine));
      assertEquals(AnswerState.LOADING, answer(kernel));
    }
    long operation = kernel.operation();
    kernel.step(query(1, operation, 1, -1, engine, 1));
    assertEquals(AnswerState.BUSY, answer(kernel));
    kernel.step(large(first, 2, engine));
    assertEquals(AnswerState.LOADING, answer(kernel));
    kernel.step(new Event.Cancel(1, first, 2));
    assertEquals(AnswerState.CANCELLED, answer(kernel));
    kernel.step(query(1, operation, 1, -1, engine, 1));
    assertEquals(AnswerState.LOADING, answer(kernel));
    assertEquals(AnswerState.LOADING, kernel.ask(1, engine, 1).state());
    kernel.step(large(operation, 2, engine));
    assertEquals(ErrorCode.LIMIT, refused(kernel));
    kernel.step(new Event.Ask(1, operation, 1));
    assertEquals(AnswerState.LOADING, answer(kernel));
    kernel.release(1, lease.lease());
    assertEquals(LARGEST_IN_LIMIT + 1, kernel.all(Command.Answer.class).size());
  }

  // ---- publishes -------------------------------------------------------------------------------

  private static long publish(KernelHarness kernel, int instance, long name) {
    long[] keys = KEYS.clone();
    keys[0] = name;
    keys[1] = name;
    long operation = kernel.operation();
    kernel.step(
        new Event.Publish(
            1, operation, Event.NO_RECORD, instance, 0, 0, PageKey.NONE, keys, new int[LARGEST]));
    return operation;
  }

  @Test
  void publishes_withMoreKeysThanMayBePending_areRefused() {
    KernelHarness kernel = new KernelHarness();
    int engine = kernel.instance("engine", 1);
    long first = publish(kernel, engine, 1);
    CopyPlan plan = kernel.plan();
    for (int i = 1; i < LARGEST_IN_LIMIT; i++) {
      publish(kernel, engine, 1 + i);
      assertEquals(1, kernel.plan().pages());
    }
    kernel.publish(1, engine, PageKey.NONE, 5);
    assertEquals(ErrorCode.LIMIT, refused(kernel));
    assertEquals(AnswerState.BUSY, kernel.ask(1, engine, 5).state());
    kernel.done(plan);
    kernel.publish(1, engine, PageKey.NONE, 5);
    assertEquals(ErrorCode.LIMIT, refused(kernel));
    kernel.commit(1, first, true);
    kernel.publish(1, engine, PageKey.NONE, 5);
    assertEquals(1, kernel.plan().pages());
  }

  @Test
  void publish_keepsItsPermitUntilItsCommit() {
    KernelSettings usual = KernelHarness.settings(1 << 30);
    KernelHarness kernel =
        new KernelHarness(
            usual.with(new OperationLimits(128, 1024, 16, 128, 4, 1, 1 << 16)), 1 << 30);
    int engine = kernel.instance("engine", 1);
    long operation = kernel.publish(1, engine, PageKey.NONE, 1);
    kernel.done(kernel.plan());
    assertEquals(AnswerState.PUBLISHED, answer(kernel));
    kernel.publish(1, engine, PageKey.NONE, 2);
    assertEquals(ErrorCode.LIMIT, refused(kernel));
    kernel.commit(1, operation, true);
    kernel.publish(1, engine, PageKey.NONE, 1);
    assertEquals(AnswerState.PUBLISHED, answer(kernel));
    kernel.publish(1, engine, PageKey.NONE, 2);
    assertEquals(1, kernel.plan().pages());
  }
}
