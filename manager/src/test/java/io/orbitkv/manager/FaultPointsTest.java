package io.orbitkv.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.manager.fixture.ChildProcess;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.PluginFolders;
import io.orbitkv.manager.fixture.ServeMain;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The real Manager in a process of its own, whose copies wait where a test wants it. */
@Timeout(120)
class FaultPointsTest {
  private static final long PATIENCE_NANOS = 60_000_000_000L;
  private static final long LOOK_NANOS = 1_000_000;

  @TempDir Path home;
  private Path points;

  @BeforeEach
  void configure() throws IOException {
    points = Files.createDirectories(home.resolve("points"));
    PluginFolders.installFaultPoints(Files.createDirectories(home.resolve("plugins")));
    Files.writeString(
        home.resolve("orbitkv.yaml"),
        """
        socket: %1$s/run/manager.sock
        copiers: [fault-copy]
        backing: {tier: fault-store}
        plugin-settings:
          fault-points:
            fault-store: {directory: %1$s/points, keep-in: %1$s/store}
            fault-copy: {directory: %1$s/points}
        """
            .formatted(home));
  }

  @Test
  void pausedPublish_holdsUpItsPublisherAndNobodyElse() throws Exception {
    try (ChildProcess manager = ChildProcess.start(ServeMain.class, home.toString())) {
      try (Engine engine = new Engine(socket(manager), "one");
          Engine other = new Engine(home.resolve("run/manager.sock"), "two")) {
        arm("copy-publish");
        long publish = engine.submitPublish(1, 2);
        awaitReached("copy-publish");
        // Another engine is answered, and the publisher's own questions are.
        other.query(50, 1);
        engine.client().send(new ClientMessage.Ask(publish, 0));
        assertThat(engine.expect(ServerMessage.Answer.class).state())
            .isEqualTo(AnswerState.LOADING);

        release("copy-publish");
        engine.awaitState(AnswerState.PUBLISHED);
        engine.client().send(new ClientMessage.Commit(publish, true));
        engine.client().send(new ClientMessage.Sync(engine.nextOperation()));
        engine.expect(ServerMessage.Done.class);

        // A paused restore keeps its pages charged until it goes on.
        ServerMessage.Answer offer = engine.query(1, 2);
        assertThat(offer.hits()).isEqualTo(2);
        arm("copy-restore");
        engine.submitRestore(offer.lease(), 10, 2);
        awaitReached("copy-restore");
        release("copy-restore");
        engine.awaitState(AnswerState.RESTORED);
        assertThat(engine.wrongWords(10, 1)).isZero();
        assertThat(engine.wrongWords(11, 2)).isZero();

        // And a failed one says so.
        offer = engine.query(1, 2);
        Files.writeString(points.resolve("copy-restore.fail"), "device-error");
        engine.submitRestore(offer.lease(), 20, 2);
        assertThat(engine.awaitState(AnswerState.FAILED).message()).contains("planted");
      }
      manager.signal("TERM");
      assertThat(manager.awaitExit()).isZero();
    }
  }

  @Test
  void evictedPages_comeBackFromTheBackingTier() throws Exception {
    try (ChildProcess manager = ChildProcess.start(ServeMain.class, home.toString())) {
      try (Engine engine = new Engine(socket(manager), "one")) {
        engine.publish(1, 4);
        awaitWritten(engine, 4);
        engine.client().send(new ClientMessage.Evict(engine.nextOperation()));
        engine.expect(ServerMessage.Done.class);

        ServerMessage.Answer offer = engine.query(1, 4);
        assertThat(offer.hits()).isEqualTo(4);
        engine.submitRestore(offer.lease(), 10, 4);
        engine.awaitState(AnswerState.RESTORED);
        for (int page = 0; page < 4; page++) {
          assertThat(engine.wrongWords(10 + page, 1 + page)).isZero();
        }
      }
      manager.signal("TERM");
      assertThat(manager.awaitExit()).isZero();
    }
  }

  @Test
  void storedPages_areFoundAfterARestartUntilEverythingIsEvicted() throws Exception {
    try (ChildProcess manager = ChildProcess.start(ServeMain.class, home.toString())) {
      try (Engine engine = new Engine(socket(manager), "one")) {
        engine.publish(1, 4);
        engine.client().send(new ClientMessage.Sync(engine.nextOperation(), true));
        assertThat(engine.expect(ServerMessage.Done.class).value()).isZero();
        assertThat(status(engine))
            .contains("\"written_pages\":4", "\"engine\":\"memory\"", "\"tier\":\"fault-store\"");
      }
      manager.signal("TERM");
      assertThat(manager.awaitExit()).isZero();
    }
    try (ChildProcess manager = ChildProcess.start(ServeMain.class, home.toString())) {
      try (Engine engine = new Engine(socket(manager), "one")) {
        ServerMessage.Answer offer = engine.query(1, 4);
        assertThat(offer.hits()).isEqualTo(4);
        engine.submitRestore(offer.lease(), 10, 4);
        engine.awaitState(AnswerState.RESTORED);
        for (int page = 0; page < 4; page++) {
          assertThat(engine.wrongWords(10 + page, 1 + page)).isZero();
        }
        engine.client().send(new ClientMessage.Evict(engine.nextOperation(), true));
        engine.expect(ServerMessage.Done.class);
        assertThat(engine.query(1, 4).state()).isEqualTo(AnswerState.MISS);
        engine.publish(7, 1);
        engine.client().send(new ClientMessage.Sync(engine.nextOperation(), true));
        engine.expect(ServerMessage.Done.class);
      }
      manager.signal("TERM");
      assertThat(manager.awaitExit()).isZero();
    }
    try (ChildProcess manager = ChildProcess.start(ServeMain.class, home.toString())) {
      try (Engine engine = new Engine(socket(manager), "one")) {
        assertThat(engine.query(1, 4).state()).isEqualTo(AnswerState.MISS);
        assertThat(engine.query(7, 1).hits()).isEqualTo(1);
      }
      manager.signal("TERM");
      assertThat(manager.awaitExit()).isZero();
    }
  }

  @Test
  void pausedRead_holdsUpItsQueryAlone() throws Exception {
    try (ChildProcess manager = ChildProcess.start(ServeMain.class, home.toString())) {
      try (Engine engine = new Engine(socket(manager), "one");
          Engine other = new Engine(home.resolve("run/manager.sock"), "two")) {
        engine.publish(1, 2);
        awaitWritten(engine, 2);
        engine.client().send(new ClientMessage.Evict(engine.nextOperation()));
        engine.expect(ServerMessage.Done.class);
        arm("read");
        long query = engine.submitQuery(1, 2);
        awaitReached("read");
        assertThat(other.query(90, 1).state()).isEqualTo(AnswerState.MISS);

        release("read");
        ServerMessage.Answer offer = engine.awaitState(AnswerState.READY);
        assertThat(offer.operation()).isEqualTo(query);
        assertThat(offer.hits()).isEqualTo(2);
      }
      manager.signal("TERM");
      assertThat(manager.awaitExit()).isZero();
    }
  }

  // A write that is not reported yet keeps its page from being evicted, or from being found later.
  private static void awaitWritten(Engine engine, int pages) throws IOException {
    long start = System.nanoTime();
    while (!status(engine).contains("\"written_pages\":" + pages)) {
      assertThat(System.nanoTime() - start).as("wait for writes").isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }

  private static String status(Engine engine) throws IOException {
    engine.client().send(new ClientMessage.Status(engine.nextOperation()));
    return engine.expect(ServerMessage.StatusReport.class).json();
  }

  private static Path socket(ChildProcess manager) throws InterruptedException {
    String line = manager.awaitLine(ServeMain.READY);
    return Path.of(line.substring(line.indexOf(ServeMain.READY) + ServeMain.READY.length()));
  }

  private void arm(String point) throws IOException {
    Files.writeString(points.resolve(point + ".pause"), "");
  }

  private void release(String point) throws IOException {
    Files.delete(points.resolve(point + ".pause"));
  }

  private void awaitReached(String point) {
    long start = System.nanoTime();
    while (!Files.exists(points.resolve(point + ".reached"))) {
      assertThat(System.nanoTime() - start).as("wait for " + point).isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(LOOK_NANOS);
    }
  }
}
