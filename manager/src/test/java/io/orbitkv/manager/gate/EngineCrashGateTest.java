package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.manager.fixture.ChildProcess;
import io.orbitkv.manager.gate.DoomedEngine.State;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An engine is killed, as {@code kill -9} does, in each state that it can be in. What runs over its
 * memory runs to its end, and only then is the memory unmapped; nothing else of it stays.
 */
final class EngineCrashGateTest extends GateTestBase {
  @Override
  String[] querySettings() {
    // Sixteen pages; a quarter of them for preparations.
    return new String[] {"budget: " + 4 * BYTES + "b"};
  }

  @ParameterizedTest
  @EnumSource(State.class)
  void killedEngine_leavesNothingAndItsSuccessorGoesOn(State state) throws Exception {
    int first = newKeys();
    int others = first + 500;
    try (GateEngine survivor = new GateEngine(manager.socket(), "survivor")) {
      survivor.store(first, PAGES);
      survivor.store(others, 4 * PAGES);
      long waits = picture().counter("budget_waits");
      String point = point(state);
      if (point != null) {
        manager.arm(point);
      }
      @Nullable QueryHandle holder = null;
      if (state == State.QUERY_WAITING) {
        // Bytes of reads under way cannot be taken back, so the engine's query waits for as long.
        holder = survivor.query("holder", others, 4 * PAGES);
        manager.awaitReached(GateManager.READ);
      }
      try (ChildProcess engine =
          ChildProcess.start(
              DoomedEngine.class,
              manager.socket().toString(),
              state.name(),
              Integer.toString(first))) {
        engine.awaitLine(DoomedEngine.THERE);
        if (point != null) {
          manager.awaitReached(point);
        }
        assertThat(picture()).matches(inState(state, waits));
        engine.kill();
      }

      Picture gone = await("the end of its session", now -> now.get("sessions") == 2);
      assertThat(gone.get("instances")).isEqualTo(1);
      boolean restores = state == State.RESTORE_RUNNING || state == State.RESTORE_STAGED;
      if (restores || state == State.PUBLISH_RUNNING) {
        assertThat(gone.get("copies")).as("the copy goes on").isEqualTo(1);
        assertThat(manager.hasOpen(deviceMemory())).as("over mapped memory").isTrue();
        assertThat(gone.get("reserved_bytes")).isEqualTo(restores ? BYTES : 0);
      } else if (state == State.READING) {
        assertThat(gone.get("reserved_bytes")).as("the read goes on").isEqualTo(BYTES);
      }
      if (point != null) {
        manager.release(point);
      }
      if (holder != null) {
        assertAnswer(holder.await(GateEngine.PATIENCE), AnswerState.READY, 4 * PAGES);
        survivor.client.release(holder.lease());
      }

      Picture rest = await("the end of its work", Picture::idle);
      assertNothingLeaked(rest);
      Wait.until("its memory to be unmapped", () -> !manager.hasOpen(deviceMemory()));
      try (GateEngine successor = new GateEngine(manager.socket(), DoomedEngine.NAME)) {
        successor.restoreAndCompare(successor.hit("request", first, PAGES), first);
        // What was never committed was never there.
        assertAnswer(
            successor.query("never", first + 100, PAGES).await(GateEngine.PATIENCE),
            AnswerState.MISS,
            0);
        successor.publish(first + 100, PAGES);
      }
    }
  }

  private static String deviceMemory() {
    return GateEngine.memoryName(DoomedEngine.NAME);
  }

  /** Where the engine's work is held up. */
  private static @Nullable String point(State state) {
    return switch (state) {
      case QUERY_WAITING, READING -> GateManager.READ;
      case RESTORE_RUNNING -> GateManager.COPY_RESTORE;
      case RESTORE_STAGED -> GateManager.COPY_STAGED;
      case PUBLISH_RUNNING -> GateManager.COPY_PUBLISH;
      case IDLE, PREPARED, OFFERED, LEASED, PUBLISH_UNCOMMITTED -> null;
    };
  }

  /** What the Manager shows while the engine is there. */
  private static Predicate<Picture> inState(State state, long waits) {
    return switch (state) {
      case IDLE -> now -> now.get("instances") == 2 && now.idle();
      case QUERY_WAITING ->
          now -> now.counter("budget_waits") == waits + 1 && now.get("reserved_bytes") == 4 * BYTES;
      case READING -> now -> now.phase("preparing") == BYTES;
      // Unless its second is over already.
      case PREPARED -> now -> now.phase("prepared") == BYTES || now.get("reserved_bytes") == 0;
      case OFFERED, LEASED -> now -> now.phase("ready") == BYTES && now.get("leases") == 1;
      case RESTORE_RUNNING, RESTORE_STAGED ->
          now -> now.phase("restoring") == BYTES && now.get("copies") == 1;
      case PUBLISH_RUNNING -> now -> now.get("unsealed_pages") == PAGES && now.get("copies") == 1;
      case PUBLISH_UNCOMMITTED ->
          now -> now.get("unsealed_pages") == PAGES && now.get("copies") == 0;
    };
  }
}
