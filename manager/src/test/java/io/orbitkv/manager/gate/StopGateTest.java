package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.QueryHandle;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Whatever stops a query of four batches of one page each, no second batch is submitted. */
@Timeout(120)
class StopGateTest {
  private static final int PAGES = 4;
  private static final int FIRST = 1000;
  private static final String ONE_PAGE = "read-batch: " + GateEngine.PAGE_BYTES + "b";

  @TempDir Path home;

  /** What is behind host memory. */
  GateManager.Store store() {
    return GateManager.Store.MEMORY;
  }

  @Test
  void cancel_whileTheFirstBatchIsRead_readsOnePage() throws Exception {
    try (GateManager manager = GateManager.start(home, store(), ONE_PAGE)) {
      try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
        engine.store(FIRST, PAGES);
        manager.arm(GateManager.READ);
        QueryHandle query = engine.query("request", FIRST, PAGES);
        manager.awaitReached(GateManager.READ);

        query.cancel();
        assertThat(Picture.of(engine.client).get("reserved_bytes"))
            .isEqualTo(GateEngine.PAGE_BYTES);
        manager.release(GateManager.READ);

        assertEndedAfterReading(engine.client, 1);
      }
      manager.endCleanly();
    }
  }

  @Test
  void deadline_whileTheFirstBatchIsRead_answersNothingAndReadsOnePage() throws Exception {
    try (GateManager manager = GateManager.start(home, store(), ONE_PAGE, "read-timeout: 100ms")) {
      try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
        engine.store(FIRST, PAGES);
        manager.arm(GateManager.READ);
        QueryHandle query = engine.query("request", FIRST, PAGES);
        manager.awaitReached(GateManager.READ);

        assertAnswer(query.await(PATIENCE), AnswerState.MISS, 0);
        assertThat(query.lease().isNone()).isTrue();
        Picture draining = Picture.of(engine.client);
        assertThat(draining.get("leases")).isZero();
        assertThat(draining.get("reserved_bytes")).isEqualTo(GateEngine.PAGE_BYTES);
        manager.release(GateManager.READ);

        assertEndedAfterReading(engine.client, 1);
      }
      manager.endCleanly();
    }
  }

  @Test
  void deadline_withHandOver_answersThePrefixThatIsThereAndReadsOnePage() throws Exception {
    try (GateManager manager =
        GateManager.start(
            home, store(), ONE_PAGE, "read-timeout: 100ms", "on-deadline: hand-over")) {
      try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
        engine.store(FIRST, PAGES);
        // The first page is in memory again; the second one is the first that has to be read.
        engine.publish(FIRST, 1);
        manager.arm(GateManager.READ);
        QueryHandle query = engine.query("request", FIRST, PAGES);
        manager.awaitReached(GateManager.READ);

        assertAnswer(query.await(PATIENCE), AnswerState.READY, 1);
        Picture split = Picture.of(engine.client);
        assertThat(split.phase("ready")).isEqualTo(GateEngine.PAGE_BYTES);
        assertThat(split.get("reserved_bytes")).isEqualTo(2 * GateEngine.PAGE_BYTES);
        engine.restoreAndCompare(query, FIRST);
        manager.release(GateManager.READ);

        assertEndedAfterReading(engine.client, 1);
      }
      manager.endCleanly();
    }
  }

  @Test
  void oneBatch_answersOnePageAndReadsOnePage() throws Exception {
    try (GateManager manager = GateManager.start(home, store(), ONE_PAGE, "read-max-batches: 1")) {
      try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
        engine.store(FIRST, PAGES);
        QueryHandle query = engine.query("request", FIRST, PAGES);

        assertAnswer(query.await(PATIENCE), AnswerState.READY, 1);
        engine.restoreAndCompare(query, FIRST);

        assertEndedAfterReading(engine.client, 1);
      }
      manager.endCleanly();
    }
  }

  private static void assertEndedAfterReading(OrbitKvClient client, long pages) {
    Picture end = Picture.await(client, "the end of the read", Picture::idle);
    assertThat(end.counter("read_pages")).isEqualTo(pages);
    assertThat(end.counter("read_done_pages")).isEqualTo(pages);
    GateTestBase.assertNothingLeaked(end);
  }
}
