package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Answer;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.ConnectionClosedException;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.Publication;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A publish whose copy does not end: its source pages stay the publish's until there is a valid
 * answer, or the Manager is proven dead. Time only warns.
 */
@Timeout(120)
final class StalledPublishGateTest {
  private static final int PAGES = 4;
  private static final int FIRST = 1000;
  private static final Duration DEADLINE = Duration.ofMillis(100);

  @TempDir Path home;

  @Test
  void copyCompletes_publisherReturnsThenAndNotAtItsDeadline() throws Exception {
    try (GateManager manager = GateManager.start(home, GateManager.Store.MEMORY)) {
      try (GateEngine engine = new GateEngine(manager.socket(), "one");
          GateEngine other = new GateEngine(manager.socket(), "two")) {
        other.publish(FIRST + 100, PAGES);
        manager.arm(GateManager.COPY_PUBLISH);
        Publication publication = engine.submitPublish(FIRST, PAGES);
        manager.awaitReached(GateManager.COPY_PUBLISH);
        FutureTask<Answer> publisher = publish(publication);
        awaitWarning(engine.client);

        // Others are served, on this connection too.
        other.restoreAndCompare(other.hit("other", FIRST + 100, PAGES), FIRST + 100);
        engine.restoreAndCompare(engine.hit("own", FIRST + 100, PAGES), FIRST + 100);
        assertThat(publisher.isDone()).isFalse();
        manager.release(GateManager.COPY_PUBLISH);

        assertAnswer(get(publisher), AnswerState.PUBLISHED, PAGES);
        publication.commit(true);
        engine.client.sync(GateEngine.PATIENCE);
        other.restoreAndCompare(other.hit("published", FIRST, PAGES), FIRST);
      }
      manager.endCleanly();
    }
  }

  @Test
  void managerIsKilled_publisherReturnsWithAnError() throws Exception {
    try (GateManager manager = GateManager.start(home, GateManager.Store.MEMORY);
        GateEngine engine = new GateEngine(manager.socket(), "one")) {
      manager.arm(GateManager.COPY_PUBLISH);
      FutureTask<Answer> publisher = publish(engine.submitPublish(FIRST, PAGES));
      manager.awaitReached(GateManager.COPY_PUBLISH);
      awaitWarning(engine.client);
      assertThat(publisher.isDone()).isFalse();
      assertThat(engine.client.managerProvenDead()).isFalse();

      manager.kill();

      assertEndedByDeath(publisher, engine.client);
    }
  }

  @Test
  void corruptAcknowledgement_endsTheConnectionAndKeepsTheFenceUntilTheManagerIsDead()
      throws Exception {
    try (GateManager manager = GateManager.start(home, GateManager.Store.MEMORY);
        Relay relay = new Relay(manager.socket(), Relay.Spoil.CORRUPT_ANSWERS);
        OrbitKvClient administrator =
            OrbitKvClient.connect(manager.socket(), ClientOptions.defaults("administrator"));
        GateEngine engine = new GateEngine(relay.socket(), "one")) {
      manager.arm(GateManager.COPY_PUBLISH);
      // Its board is silent while the copy runs, so it asks; and gets nonsense.
      FutureTask<Answer> publisher = publish(engine.submitPublish(FIRST, PAGES));
      Wait.until("the end of the connection", () -> !engine.client.connected());
      assertThat(engine.client.endReason()).contains("is no message");
      assertThatExceptionOfType(ConnectionClosedException.class)
          .isThrownBy(() -> engine.query("later", FIRST, PAGES));
      awaitWarning(engine.client);

      // The copy does end, and nobody is left who could be told in a way that can be relied on.
      manager.release(GateManager.COPY_PUBLISH);
      Picture.await(
          administrator, "the end of the copy", now -> now.idle() && now.get("instances") == 0);
      assertThat(engine.client.managerProvenDead()).isFalse();
      assertThat(publisher.isDone()).isFalse();

      manager.kill();

      assertEndedByDeath(publisher, engine.client);
    }
  }

  private static FutureTask<Answer> publish(Publication publication) {
    FutureTask<Answer> publisher = new FutureTask<>(() -> publication.awaitSourcesFree(DEADLINE));
    Thread.ofPlatform().daemon().name("publisher").start(publisher);
    return publisher;
  }

  private static void awaitWarning(OrbitKvClient client) {
    Wait.until("the warning", () -> client.statistics().fenceWarnings() > 0);
  }

  private static void assertEndedByDeath(FutureTask<Answer> publisher, OrbitKvClient client) {
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> get(publisher))
        .withCauseInstanceOf(ConnectionClosedException.class);
    assertThat(client.managerProvenDead()).isTrue();
  }

  private static Answer get(FutureTask<Answer> publisher) throws Exception {
    return publisher.get(GateEngine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
  }
}
