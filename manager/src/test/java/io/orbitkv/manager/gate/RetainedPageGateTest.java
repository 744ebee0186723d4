package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static io.orbitkv.manager.gate.GateEngine.devicePages;
import static io.orbitkv.manager.gate.GateEngine.keys;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Publication;
import io.orbitkv.client.QueryHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pages in memory: one that is leased stays, and one whose producer is not done is not found. */
class RetainedPageGateTest extends GateTestBase {
  @Override
  String[] querySettings() {
    return new String[0];
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void oneLeasedPageOfFour_staysAndTheOthersGiveTheirMemoryBack(boolean readBack) throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
      engine.store(first - 500, 1); // Nothing is resident now.
      long empty = picture().allocatedBytes();
      if (readBack) {
        engine.store(first, PAGES);
        engine.client.release(engine.hit("read", first, PAGES).lease());
      } else {
        engine.publish(first, PAGES);
      }
      await("the four pages", now -> now.idle() && now.get("resident_pages") == PAGES);
      long page = (picture().allocatedBytes() - empty) / PAGES;
      QueryHandle held = engine.hit("held", first, 1);
      held.taken();

      engine.client.evict();
      Picture retained = await("the eviction", now -> now.get("resident_pages") == 0);
      assertThat(retained.allocatedBytes()).isEqualTo(empty + page);
      assertThat(retained.get("orphan_bytes")).isEqualTo(page);

      engine.restoreAndCompare(held, first);
      await("its end", now -> now.allocatedBytes() == empty);
    }
  }

  /**
   * Host memory has no events; what fences it is the producer's word that its bytes are written.
   */
  @Test
  void pagesOfAPublish_areFoundOnlyAfterTheProducersCommit() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
      Publication produced = engine.submitPublish(first, PAGES);
      assertAnswer(produced.await(PATIENCE), AnswerState.PUBLISHED, PAGES);
      assertAnswer(engine.query("early", first, PAGES).await(PATIENCE), AnswerState.MISS, 0);
      produced.commit(true);
      engine.restoreAndCompare(engine.hit("after", first, PAGES), first);

      Publication failed = engine.submitPublish(first + 100, PAGES);
      assertAnswer(failed.await(PATIENCE), AnswerState.PUBLISHED, PAGES);
      failed.commit(false);
      assertAnswer(engine.query("never", first + 100, PAGES).await(PATIENCE), AnswerState.MISS, 0);
    }
  }

  @Test
  void copyThatNamesAnEvent_failsWhereNobodyCanWaitForIt() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
      Publication publication =
          engine.worker().publish(0, 4711, PageKey.NONE, keys(first, PAGES), devicePages(0, PAGES));
      assertThat(publication.await(PATIENCE).state()).isEqualTo(AnswerState.FAILED);
      publication.commit(true);
      assertAnswer(engine.query("never", first, PAGES).await(PATIENCE), AnswerState.MISS, 0);

      engine.publish(first, PAGES);
      QueryHandle query = engine.hit("there", first, PAGES);
      assertThat(
              engine
                  .worker()
                  .restore(query.lease(), 4711, devicePages(8, PAGES))
                  .await(PATIENCE)
                  .state())
          .isEqualTo(AnswerState.FAILED);
    }
  }
}
