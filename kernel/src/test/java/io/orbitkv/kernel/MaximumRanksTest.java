package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The sign bit of a set of ranks is a rank like any other. */
class MaximumRanksTest {
  private final KernelHarness kernel = new KernelHarness();

  @Test
  void page_ofThirtyTwoRanks_sealsIsRestoredAndEnds() {
    long[] sessions = LongStream.rangeClosed(1, WorkerLayout.MAX_RANKS).toArray();
    int engine = kernel.instance("engine", sessions);
    for (long session : sessions) {
      assertEquals(0, kernel.kernel.status().residentPages());
      long operation = kernel.publish(session, engine, PageKey.NONE, 1, 2);
      kernel.done(kernel.plan());
      kernel.commit(session, operation, true);
    }
    assertEquals(2, kernel.kernel.status().residentPages());
    assertEquals(64, kernel.counter(KernelCounter.PUBLISH_STORED_PAGES));
    assertEquals(0, kernel.kernel.status().operations());
    Command.Answer lease = kernel.lease(1, engine, 1, 2);
    for (long session : sessions) {
      assertEquals(1, kernel.kernel.status().leases());
      kernel.restore(session, engine, lease.lease(), 5, 6);
      CopyPlan plan = kernel.plan();
      kernel.done(plan);
      assertEquals(AnswerState.RESTORED, kernel.only(Command.Answer.class).state());
    }
    assertEquals(0, kernel.kernel.status().leases());
    kernel.step(new Event.Evict(1, kernel.operation()));
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void page_ofThirtyTwoRanksWithAFailure_isDiscardedForAll() {
    long[] sessions = LongStream.rangeClosed(1, WorkerLayout.MAX_RANKS).toArray();
    int engine = kernel.instance("engine", sessions);
    for (long session : sessions) {
      long operation = kernel.publish(session, engine, PageKey.NONE, 1);
      kernel.done(kernel.plan());
      kernel.commit(session, operation, session != WorkerLayout.MAX_RANKS);
    }
    assertEquals(32, kernel.counter(KernelCounter.PUBLISH_DISCARDED_PAGES));
    assertEquals(0, kernel.kernel.status().operations());
    assertTrue(kernel.memory.runs() == 0);
  }
}
