package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static io.orbitkv.manager.gate.GateEngine.keys;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.client.Answer;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.Preparation;
import io.orbitkv.client.Publication;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.client.Restoration;
import io.orbitkv.manager.fixture.ManualClock;
import java.time.Duration;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every write to the client's status board is lost. 50 ms of silence after an operation began, or
 * after the last answer about it, the client asks, and learns over the socket what it missed. The
 * client's clock is the test's, so the 50 ms are exact on any machine.
 */
final class LostNotificationGateTest extends GateTestBase {
  private static final Duration JUST_BEFORE = Duration.ofNanos(49_999_999);
  private static final Duration THE_REST = Duration.ofNanos(1);

  private final ManualClock clock = new ManualClock();
  private Relay relay;
  private GateEngine engine;

  @Override
  String[] querySettings() {
    return new String[0];
  }

  @BeforeEach
  void connect() throws Exception {
    relay = new Relay(manager.socket(), Relay.Spoil.LOSE_BOARD_WRITES);
    engine =
        new GateEngine(
            relay.socket(), "deaf", ClientOptions.defaults("gate 1").withNanoClock(clock));
  }

  @AfterEach
  void disconnect() throws Exception {
    assertThat(engine.client.statistics().boardAnswers()).isZero();
    engine.close();
    relay.close();
  }

  @Test
  void ready_isLearntOverTheSocket() throws Exception {
    int first = publishDirectly();
    QueryHandle query = engine.query("request", first, PAGES);
    await("the offer", now -> now.get("leases") == 1);
    assertLearnt(query::poll, AnswerState.READY);
    engine.client.release(query.lease());
  }

  @Test
  void readyAfterALongRead_isLearntAsSoon() throws Exception {
    int first = newKeys();
    try (GateEngine writer = new GateEngine(manager.socket(), "writer")) {
      writer.store(first, PAGES);
    }
    manager.arm(GateManager.READ);
    QueryHandle query = engine.query("request", first, PAGES);
    manager.awaitReached(GateManager.READ);
    for (int questions = 1; questions <= 40; questions++) {
      clock.pass(Duration.ofMillis(50));
      assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
      int asked = questions;
      Wait.until(
          "the question",
          () -> {
            query.poll();
            return engine.client.statistics().asks() == asked;
          });
      // Behind the answer on the socket.
      engine.client.echo(new byte[0], 0);
    }
    manager.release(GateManager.READ);
    await("the offer", now -> now.get("leases") == 1);
    assertLearnt(query::poll, AnswerState.READY);
    engine.client.release(query.lease());
  }

  @Test
  void miss_isLearntOverTheSocket() {
    long misses = picture().counter("query_misses");
    QueryHandle query = engine.query("request", newKeys(), PAGES);
    await("the miss", now -> now.counter("query_misses") > misses);
    assertLearnt(query::poll, AnswerState.MISS);
  }

  @Test
  void busy_isLearntOverTheSocket() {
    long busy = picture().counter("speculation_busy");
    // More than a quarter of the budget.
    Preparation preparation =
        engine.client.prepare(engine.instance(), "ahead", keys(newKeys(), 900)).orElseThrow();
    await("the refusal", now -> now.counter("speculation_busy") > busy);
    assertLearnt(preparation::poll, AnswerState.BUSY);
  }

  @Test
  void prepared_isLearntOverTheSocket() throws Exception {
    int first = newKeys();
    for (int attempt = 0; ; attempt++) {
      Preparation preparation =
          engine.client.prepare(engine.instance(), "ahead", keys(first, 1)).orElseThrow();
      long ended = ended(picture());
      clock.pass(Duration.ofMillis(50));
      Wait.until("an end", () -> preparation.poll() != AnswerState.LOADING);
      AnswerState learnt = preparation.poll();
      preparation.cancel();
      // Its second was over before this machine came to ask.
      if (learnt == AnswerState.PREPARED || attempt == 20) {
        assertThat(learnt).isEqualTo(AnswerState.PREPARED);
        return;
      }
      assertThat(ended(picture())).isGreaterThanOrEqualTo(ended);
    }
  }

  private static long ended(Picture picture) {
    return picture.counter("preparations_expired");
  }

  @Test
  void restored_isLearntOverTheSocket() throws Exception {
    int first = publishDirectly();
    QueryHandle query = engine.query("request", first, PAGES);
    await("the offer", now -> now.get("leases") == 1);
    assertLearnt(query::poll, AnswerState.READY);
    long done = picture().counter("restores_done");
    Restoration restoration = engine.submitRestore(query, 8);
    await("the restore", now -> now.counter("restores_done") > done);
    assertLearnt(restoration::poll, AnswerState.RESTORED);
    engine.assertBytes(8, first, PAGES);
  }

  @Test
  void failed_isLearntOverTheSocket() throws Exception {
    int first = publishDirectly();
    QueryHandle query = engine.query("request", first, PAGES);
    await("the offer", now -> now.get("leases") == 1);
    assertLearnt(query::poll, AnswerState.READY);
    manager.fail(GateManager.COPY_RESTORE, "device-error");
    long failures = picture().counter("restore_failures");
    Restoration restoration = engine.submitRestore(query, 8);
    await("the failure", now -> now.counter("restore_failures") > failures);
    assertLearnt(restoration::poll, AnswerState.FAILED);
    assertThat(restoration.answer().message()).contains("planted");
  }

  @Test
  void published_isLearntOverTheSocket() {
    Publication publication = engine.submitPublish(newKeys(), PAGES);
    await("the copy", now -> now.get("copies") == 0 && now.get("unsealed_pages") == PAGES);
    assertLearnt(publication::poll, AnswerState.PUBLISHED);
    assertThat(publication.storedPages()).isEqualTo(PAGES);
    publication.commit(false);
  }

  /** The client's own wish, so it waits for nobody; and the Manager's answer hurts nobody. */
  @Test
  void cancelled_isKnownAtOnce() throws Exception {
    int first = newKeys();
    manager.arm(GateManager.READ);
    try (GateEngine writer = new GateEngine(manager.socket(), "writer")) {
      writer.store(first, PAGES);
    }
    QueryHandle query = engine.query("request", first, PAGES);
    manager.awaitReached(GateManager.READ);
    query.cancel();
    assertThat(query.poll()).isEqualTo(AnswerState.CANCELLED);
    manager.release(GateManager.READ);
    await("the end of the read", now -> now.get("reserved_bytes") == 0);
    assertThat(engine.client.statistics().asks()).isZero();
  }

  /** Refusals say why in words, so they never come by the board. */
  @Test
  void refused_isToldOverTheSocketAtOnce() throws Exception {
    QueryHandle query = engine.client.query(4711, "request", keys(newKeys(), 1));
    Answer answer = query.await(PATIENCE);
    assertAnswer(answer, AnswerState.REFUSED, 0);
    assertThat(answer.error()).isEqualTo(ErrorCode.UNKNOWN);
    assertThat(engine.client.statistics().asks()).isZero();
  }

  /** A warm hint is answered over the socket, so its end frees its place without a question. */
  @Test
  void warmed_isToldOverTheSocketAtOnce() throws Exception {
    int first = newKeys();
    try (GateEngine writer = new GateEngine(manager.socket(), "writer")) {
      writer.store(first, PAGES);
    }
    long warmed = picture().counter("warmed_pages");
    assertThat(engine.client.warm(engine.instance(), "hint", keys(first, PAGES))).isTrue();
    await("the warm pages", now -> now.counter("warmed_pages") == warmed + PAGES);
    Wait.until("its end", () -> engine.client.warm(engine.instance(), "hint", keys(first, PAGES)));
    assertThat(engine.client.statistics().asks()).isZero();
  }

  private int publishDirectly() throws Exception {
    int first = newKeys();
    try (GateEngine writer = new GateEngine(manager.socket(), "writer")) {
      writer.publish(first, PAGES);
    }
    return first;
  }

  private void assertLearnt(Supplier<AnswerState> poll, AnswerState state) {
    long asks = engine.client.statistics().asks();
    Predicate<AnswerState> unknown = seen -> seen == AnswerState.LOADING;
    clock.pass(JUST_BEFORE);
    assertThat(poll.get()).matches(unknown);
    assertThat(engine.client.statistics().asks()).isEqualTo(asks);
    clock.pass(THE_REST);
    // The clock stands from here on.
    Wait.until("the answer", () -> !unknown.test(poll.get()));
    assertThat(poll.get()).isEqualTo(state);
    assertThat(engine.client.statistics().asks()).isEqualTo(asks + 1);
  }
}
