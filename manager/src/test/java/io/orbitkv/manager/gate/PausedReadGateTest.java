package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static io.orbitkv.manager.gate.GateEngine.keys;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Preparation;
import io.orbitkv.client.QueryHandle;
import org.junit.jupiter.api.Test;

/** A read that was submitted and does not end: whoever loses interest, its buffers stay owned. */
class PausedReadGateTest extends GateTestBase {
  @Override
  String[] querySettings() {
    return new String[0];
  }

  @Test
  void cancel_whileReading_keepsTheBytesAndHoldsUpNobodyElse() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
      engine.store(first, PAGES);
      engine.publish(first + 100, PAGES);
      manager.arm(GateManager.READ);
      QueryHandle query = engine.query("request", first, PAGES);
      manager.awaitReached(GateManager.READ);
      assertThat(picture().get("reserved_bytes")).isEqualTo(BYTES);

      query.cancel();
      assertThat(Picture.of(engine.client).get("reserved_bytes")).isEqualTo(BYTES);
      assertAnswer(engine.query("request", first + 50, 2).await(PATIENCE), AnswerState.MISS, 0);
      assertOthersAreServed(engine, first);

      manager.release(GateManager.READ);
      await("the end of the read", now -> now.get("reserved_bytes") == 0);
      engine.restoreAndCompare(engine.hit("request", first, PAGES), first);
    }
  }

  @Test
  void revise_whileReading_keepsTheBytesAndHoldsUpNobodyElse() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
      engine.store(first, PAGES);
      engine.publish(first + 100, PAGES);
      manager.arm(GateManager.READ);
      QueryHandle query = engine.query("request", first, PAGES);
      manager.awaitReached(GateManager.READ);

      query.revise(keys(first + 50, PAGES));
      assertAnswer(query.await(PATIENCE), AnswerState.MISS, 0);
      assertThat(query.revision()).isEqualTo(2);
      assertThat(picture().get("reserved_bytes")).isEqualTo(BYTES);
      assertOthersAreServed(engine, first);

      manager.release(GateManager.READ);
      await("the end of the read", now -> now.get("reserved_bytes") == 0);
      engine.restoreAndCompare(engine.hit("request", first, PAGES), first);
    }
  }

  private void assertOthersAreServed(GateEngine engine, int first) throws Exception {
    try (GateEngine other = new GateEngine(manager.socket(), "two")) {
      other.restoreAndCompare(other.hit("unrelated", first + 100, PAGES), first + 100);
      assertThat(other.client.echo(new byte[] {1}, 1)).containsExactly(1);
    }
    // A second interest in the very pages that are being read comes and goes.
    QueryHandle second = engine.query("second", first, PAGES);
    assertThat(Picture.of(engine.client).get("reserved_bytes")).isEqualTo(2 * BYTES);
    assertThat(second.poll()).isEqualTo(AnswerState.LOADING);
    second.cancel();
    assertThat(Picture.of(engine.client).get("leases")).isZero();
  }

  @Test
  void cancelledPreparation_doesNotStopADemandThatSharesItsRead() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "one")) {
      engine.store(first, PAGES);
      long joined = picture().counter("read_joined_pages");
      manager.arm(GateManager.READ);
      Preparation preparation =
          engine.client.prepare(engine.instance(), "ahead", keys(first, PAGES)).orElseThrow();
      manager.awaitReached(GateManager.READ);
      QueryHandle demand = engine.query("demand", first, PAGES);
      assertThat(Picture.of(engine.client).counter("read_joined_pages") - joined).isEqualTo(PAGES);

      preparation.cancel();
      assertThat(Picture.of(engine.client).get("reading_pages")).isEqualTo(PAGES);
      assertThat(demand.poll()).isEqualTo(AnswerState.LOADING);
      manager.release(GateManager.READ);

      assertAnswer(demand.await(PATIENCE), AnswerState.READY, PAGES);
      engine.restoreAndCompare(demand, first);
    }
  }
}
