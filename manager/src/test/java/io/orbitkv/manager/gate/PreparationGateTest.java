package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static io.orbitkv.manager.gate.GateEngine.keys;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.Preparation;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.client.Restoration;
import io.orbitkv.manager.fixture.ManualClock;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Preparations: owned by nobody's engine, ended by time alone, or claimed and then kept. */
class PreparationGateTest extends GateTestBase {
  /** A claim comes too late when this machine is slow; then it is tried again. */
  private static final int ATTEMPTS = 20;

  // Of the clients: they do not give a preparation up by themselves.
  private final ManualClock clock = new ManualClock();

  @Override
  String[] querySettings() {
    return new String[0];
  }

  private GateEngine engine() throws Exception {
    return new GateEngine(
        manager.socket(), "one", ClientOptions.defaults("gate 1").withNanoClock(clock));
  }

  private Preparation prepare(GateEngine engine, int first) {
    return engine.client.prepare(engine.instance(), "ahead", keys(first, PAGES)).orElseThrow();
  }

  @Test
  void unclaimedPreparation_expiresWithoutAPollAndCanBeRepeated() throws Exception {
    int first = newKeys();
    try (GateEngine engine = engine()) {
      engine.store(first, PAGES);
      for (int round = 1; round <= 2; round++) {
        long expired = picture().counter("preparations_expired");
        manager.arm(GateManager.READ);
        Preparation preparation = prepare(engine, first);
        manager.awaitReached(GateManager.READ);
        assertThat(picture().get("speculative_bytes")).isEqualTo(BYTES);
        assertThat(picture().get("reserved_bytes")).isEqualTo(BYTES);
        manager.release(GateManager.READ);

        // Nobody of the preparation's connection says or reads anything.
        Picture end = await("the expiry", now -> now.get("reserved_bytes") == 0);
        assertThat(end.counter("preparations_expired")).isEqualTo(expired + 1);
        assertThat(end.get("operations")).isZero();
        preparation.cancel();
        engine.client.evict();
      }
    }
  }

  @Test
  void claim_keepsTheBytesThroughTheRestore() throws Exception {
    int first = newKeys();
    try (GateEngine engine = engine()) {
      engine.store(first, PAGES);
      QueryHandle query = claimPrepared(engine, first);
      Picture ready = picture();
      assertThat(ready.get("speculative_bytes")).isZero();
      assertThat(ready.phase("ready")).isEqualTo(BYTES);

      manager.arm(GateManager.COPY_RESTORE);
      Restoration restoration = engine.submitRestore(query, 8);
      manager.awaitReached(GateManager.COPY_RESTORE);
      assertThat(picture().phase("restoring")).isEqualTo(BYTES);
      assertThat(picture().get("reserved_bytes")).isEqualTo(BYTES);
      manager.release(GateManager.COPY_RESTORE);

      assertAnswer(restoration.await(PATIENCE), AnswerState.RESTORED, PAGES);
      engine.assertBytes(8, first, PAGES);
      await("the end of the restore", now -> now.get("reserved_bytes") == 0);
    }
  }

  private QueryHandle claimPrepared(GateEngine engine, int first) throws Exception {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      Preparation preparation = prepare(engine, first);
      Wait.until("the preparation", () -> preparation.poll() != AnswerState.LOADING);
      Optional<QueryHandle> claim = preparation.claim(true);
      if (claim.isPresent() && claim.get().await(PATIENCE).state() == AnswerState.READY) {
        assertAnswer(claim.get().answer(), AnswerState.READY, PAGES);
        return claim.get();
      }
      engine.client.evict();
    }
    throw new AssertionError("no claim came in time");
  }

  @Test
  void claimedUnfinishedPreparation_outlivesItsSecond() throws Exception {
    int first = newKeys();
    try (GateEngine engine = engine()) {
      engine.store(first, PAGES);
      manager.arm(GateManager.READ);
      QueryHandle query = claimReading(engine, first);
      Picture claimed = picture();
      assertThat(claimed.get("speculative_bytes")).isZero();
      assertThat(claimed.phase("preparing")).isEqualTo(BYTES);

      await("more than a second", now -> now.uptimeSeconds() > claimed.uptimeSeconds() + 1.5);
      assertThat(query.poll()).isEqualTo(AnswerState.LOADING);
      assertThat(picture().get("reserved_bytes")).isGreaterThanOrEqualTo(BYTES);
      manager.release(GateManager.READ);

      assertAnswer(query.await(PATIENCE), AnswerState.READY, PAGES);
      engine.restoreAndCompare(query, first);
    }
  }

  private QueryHandle claimReading(GateEngine engine, int first) throws Exception {
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long claims = picture().counter("preparations_claimed");
      Preparation preparation = prepare(engine, first);
      manager.awaitReached(GateManager.READ);
      Optional<QueryHandle> claim = preparation.claim(true);
      boolean inTime = Picture.of(engine.client).counter("preparations_claimed") > claims;
      if (claim.isPresent() && inTime) {
        return claim.get();
      }
      // The read drains before the next attempt, so that bytes are only those of one.
      manager.release(GateManager.READ);
      await("the end of the read", now -> now.get("reserved_bytes") == 0);
      engine.client.evict();
      manager.arm(GateManager.READ);
    }
    throw new AssertionError("no claim came in time");
  }

  @Test
  void preparedPages_areCountedAsRestoredOrUnusedAndNoneIsPending() throws Exception {
    int first = newKeys();
    try (GateEngine engine = engine()) {
      engine.store(first, PAGES);
      Picture before = picture();
      engine.restoreAndCompare(claimPrepared(engine, first), first); // Used.
      engine.client.evict();
      engine.client.release(claimPrepared(engine, first).lease()); // Claimed and not used.
      await("the end of the lease", now -> now.get("leases") == 0);
      engine.client.evict();
      manager.arm(GateManager.READ);
      Preparation cancelled = prepare(engine, first); // Given up while it is read.
      manager.awaitReached(GateManager.READ);
      cancelled.cancel();
      manager.release(GateManager.READ);
      await("the end of the read", Picture::idle);
      engine.client.evict();
      prepare(engine, first); // Never wanted.
      await(
          "all of it",
          now -> now.counter("preparations_expired") > before.counter("preparations_expired"));
      engine.client.evict();

      Picture after = await("the end of everything", Picture::idle);
      long brought = delta(before, after, "speculated_bytes");
      long restored = delta(before, after, "speculated_restored_bytes");
      assertThat(restored).isEqualTo(BYTES);
      assertThat(brought).isGreaterThanOrEqualTo(3 * BYTES);
      assertThat(delta(before, after, "speculated_unused_bytes")).isEqualTo(brought - restored);
      assertThat(after.get("speculated_bytes")).as("pending").isZero();
      assertThat(delta(before, after, "preparations"))
          .isEqualTo(
              delta(before, after, "preparations_claimed")
                  + delta(before, after, "preparations_expired")
                  + delta(before, after, "preparations_given_up"));
    }
  }

  private static long delta(Picture before, Picture after, String counter) {
    return after.counter(counter) - before.counter(counter);
  }
}
