package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.client.Restoration;
import io.orbitkv.wire.Features;
import org.junit.jupiter.api.Test;

/** Staged restores through the real Manager, its socket and its status board. */
final class StagedRestoreGateTest extends GateTestBase {
  @Override
  String[] querySettings() {
    return new String[0];
  }

  @Test
  void restore_isSeenAsSubmittedAndThenAsRestored() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "staged")) {
      engine.publish(first, PAGES);
      assertThat(engine.worker().stageEvents())
          .hasSize(2)
          .allSatisfy(slot -> assertThat(slot).singleElement().asString().hasSize(128));
      manager.arm(GateManager.COPY_STAGED);
      QueryHandle query = engine.hit("request", first, PAGES);
      Restoration restoration = engine.submitStaged(query, 32);

      assertAnswer(restoration.awaitSubmitted(PATIENCE), AnswerState.SUBMITTED, PAGES);
      assertThat(restoration.stageSlot()).isBetween(0, 1);
      assertThat(picture().phase("restoring")).as("held until the end").isEqualTo(BYTES);
      restoration.waited();
      manager.release(GateManager.COPY_STAGED);

      assertAnswer(restoration.await(PATIENCE), AnswerState.RESTORED, PAGES);
      engine.assertBytes(32, first, PAGES);
      restoration.waited();
    }
  }

  @Test
  void restoreWithoutAFreeSlot_isNeverSubmittedAndEnds() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "exhausted")) {
      engine.publish(first, PAGES);
      long unstaged = picture().counter("restores_unstaged");
      // Whose client never says that its waits are enqueued.
      for (int i = 0; i < 2; i++) {
        Restoration silent = engine.submitStaged(engine.hit("silent-" + i, first, PAGES), 8);
        assertAnswer(silent.await(PATIENCE), AnswerState.RESTORED, PAGES);
      }
      Restoration third = engine.submitStaged(engine.hit("third", first, PAGES), 32);

      assertAnswer(third.awaitSubmitted(PATIENCE), AnswerState.RESTORED, PAGES);
      assertThatThrownBy(third::stageSlot).hasMessageContaining("wait for its end");
      assertThat(picture().counter("restores_unstaged")).isEqualTo(unstaged + 1);
      engine.assertBytes(32, first, PAGES);
      assertThat(picture().get("leases")).as("slots hold no pages").isZero();
    }
    // A new session of the same engine has all its slots.
    try (GateEngine engine = new GateEngine(manager.socket(), "exhausted")) {
      long staged = picture().counter("restores_staged");
      Restoration again = engine.submitStaged(engine.hit("again", first, PAGES), 8);
      assertAnswer(again.await(PATIENCE), AnswerState.RESTORED, PAGES);
      assertThat(picture().counter("restores_staged")).isEqualTo(staged + 1);
    }
  }

  @Test
  void slotThatIsGivenBack_servesTheNextRestore() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "reusing")) {
      engine.publish(first, PAGES);
      long staged = picture().counter("restores_staged");
      for (int i = 0; i < 5; i++) {
        Restoration restoration = engine.submitStaged(engine.hit("r-" + i, first, PAGES), 8);
        assertAnswer(restoration.await(PATIENCE), AnswerState.RESTORED, PAGES);
        restoration.waited();
      }
      assertThat(picture().counter("restores_staged")).isEqualTo(staged + 5);
    }
  }

  @Test
  void failureBehindTheSubmission_failsTheRestoreAndLeaksNothing() throws Exception {
    int first = newKeys();
    try (GateEngine engine = new GateEngine(manager.socket(), "failing")) {
      engine.publish(first, PAGES);
      manager.arm(GateManager.COPY_STAGED);
      Restoration restoration = engine.submitStaged(engine.hit("request", first, PAGES), 8);
      assertAnswer(restoration.awaitSubmitted(PATIENCE), AnswerState.SUBMITTED, PAGES);
      manager.fail(GateManager.COPY_STAGED, "DEVICE_ERROR");
      manager.release(GateManager.COPY_STAGED);

      assertAnswer(restoration.await(PATIENCE), AnswerState.FAILED, 0);
      restoration.waited();
      manager.disarm();
      engine.restoreAndCompare(engine.hit("again", first, PAGES), first);
    }
  }

  @Test
  void clientThatDoesNotKnowOfStages_isServedAsBefore() throws Exception {
    int first = newKeys();
    ClientOptions options =
        ClientOptions.defaults("gate 1").withFeatures(Features.BOARD | Features.PREPARE);
    try (GateEngine engine = new GateEngine(manager.socket(), "former", options)) {
      engine.publish(first, PAGES);
      assertThat(engine.worker().stageEvents()).isEmpty();
      Restoration restoration = engine.submitStaged(engine.hit("request", first, PAGES), 8);
      assertAnswer(restoration.awaitSubmitted(PATIENCE), AnswerState.RESTORED, PAGES);
    }
  }
}
