package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static io.orbitkv.manager.gate.GateEngine.devicePages;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.client.ConnectionClosedException;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.manager.fixture.RawClient;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A new Manager on the old path knows nothing of what the old one promised. */
@Timeout(120)
final class ManagerRestartGateTest {
  private static final int PAGES = 4;
  private static final int FIRST = 1000;

  @TempDir Path home;

  @Test
  void restart_refusesOldHandlesLeasesAndEpochsAndServesWhoeverRegistersAnew() throws Exception {
    LeaseId oldLease;
    long oldEpoch;
    try (GateManager manager = GateManager.start(home, GateManager.Store.MEMORY);
        GateEngine engine = new GateEngine(manager.socket(), "one")) {
      engine.publish(FIRST, PAGES);
      QueryHandle query = engine.hit("request", FIRST, PAGES);
      query.taken();
      oldLease = query.lease();
      oldEpoch = engine.client.welcome().epoch();
      manager.kill();
      try (GateManager next = GateManager.start(home, GateManager.Store.MEMORY)) {
        // Of the old connection nothing works any more, whoever listens at the path now.
        Wait.until("the end of the connection", () -> !engine.client.connected());
        assertThatExceptionOfType(ConnectionClosedException.class)
            .isThrownBy(() -> engine.query("again", FIRST, PAGES));
        assertThatExceptionOfType(ConnectionClosedException.class)
            .isThrownBy(() -> engine.submitRestore(query, 8));
        assertThat(engine.client.managerProvenDead()).isTrue();

        assertOldEpochIsRefused(next.socket(), oldEpoch, oldLease);
        assertServesAnew(next.socket(), oldLease);
        next.endCleanly();
      }
    }
  }

  private static void assertOldEpochIsRefused(Path socket, long oldEpoch, LeaseId oldLease)
      throws Exception {
    try (RawClient stale = RawClient.greet(socket, 0)) {
      stale.epoch(oldEpoch);
      stale.send(new ClientMessage.Release(2, oldLease));
      ServerMessage.Refused refused = (ServerMessage.Refused) stale.receive();
      assertThat(refused.error()).isEqualTo(ErrorCode.STALE_EPOCH);
      assertThat(refused.message()).contains("reconnect");
      assertThat(stale.atEnd()).isTrue();
    }
  }

  private static void assertServesAnew(Path socket, LeaseId oldLease) throws Exception {
    try (GateEngine engine = new GateEngine(socket, "one")) {
      // An old lease is one that is gone: the request recomputes.
      assertAnswer(
          engine.worker().restore(oldLease, 0, devicePages(8, PAGES)).await(PATIENCE),
          AnswerState.MISS,
          0);
      assertAnswer(engine.query("request", FIRST, PAGES).await(PATIENCE), AnswerState.MISS, 0);
      engine.publish(FIRST, PAGES);
      engine.restoreAndCompare(engine.hit("request", FIRST, PAGES), FIRST);
      GateTestBase.assertNothingLeaked(Picture.await(engine.client, "rest", Picture::idle));
    }
  }
}
