package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import org.junit.jupiter.api.Test;

final class OperationTimesTest {
  private static final long MILLI = 1_000_000;
  private static final LeaseId LEASE = new LeaseId(11, 12);

  private final ManagerMeterRegistry registry = new ManagerMeterRegistry(() -> 0);
  private final OperationTimes times = new OperationTimes(new CellTimers(registry, ""));

  @Test
  void offer_taken_isLookedUpAndDelivered() {
    submit(1, 5, QueryKind.DEMAND, 1, 0);
    answer(1, 5, AnswerState.READY, LEASE, 2 * MILLI);
    times.arrived(new Event.Taken(1, 5, 1), 5 * MILLI);
    times.arrived(new Event.Taken(1, 5, 1), 9 * MILLI);
    times.arrived(restore(1, 6), 20 * MILLI);
    assertThat(total("orbitkv_query_lookup_duration_seconds")).isEqualTo(2 * MILLI);
    assertThat(total("orbitkv_completion_delivery_ms")).isEqualTo(3 * MILLI);
    assertThat(count("orbitkv_completion_delivery_ms")).isEqualTo(1);
    assertThat(count("orbitkv_query_wait_duration_seconds")).isZero();
  }

  @Test
  void offer_restoredByARankOfAnotherSession_isDelivered() {
    submit(1, 5, QueryKind.DEMAND, 1, 0);
    answer(1, 5, AnswerState.READY, LEASE, MILLI);
    times.arrived(restore(2, 7), 4 * MILLI);
    answer(2, 7, AnswerState.RESTORED, LeaseId.NONE, 10 * MILLI);
    assertThat(total("orbitkv_completion_delivery_ms")).isEqualTo(3 * MILLI);
    assertThat(total("orbitkv_load_duration_seconds")).isEqualTo(6 * MILLI);
    assertThat(times.timed()).isZero();
  }

  @Test
  void offersOfOneLease_eachAcknowledged_areEachDelivered() {
    submit(1, 5, QueryKind.DEMAND, 1, 0);
    submit(2, 5, QueryKind.DEMAND, 1, 0);
    answer(1, 5, AnswerState.READY, LEASE, MILLI);
    answer(2, 5, AnswerState.READY, LEASE, MILLI);
    times.arrived(new Event.Release(2, 8, LEASE), 3 * MILLI);
    times.arrived(restore(1, 6), 4 * MILLI);
    assertThat(count("orbitkv_completion_delivery_ms")).isEqualTo(2);
    assertThat(total("orbitkv_completion_delivery_ms")).isEqualTo(5 * MILLI);
  }

  @Test
  void query_thatWaited_tellsTheWait() {
    submit(1, 5, QueryKind.DEMAND, 1, 0);
    answer(1, 5, AnswerState.LOADING, LeaseId.NONE, MILLI);
    answer(1, 5, AnswerState.LOADING, LeaseId.NONE, 2 * MILLI);
    answer(1, 5, AnswerState.MISS, LeaseId.NONE, 8 * MILLI);
    assertThat(total("orbitkv_query_wait_duration_seconds")).isEqualTo(7 * MILLI);
    assertThat(total("orbitkv_query_lookup_duration_seconds")).isEqualTo(8 * MILLI);
    assertThat(times.timed()).isZero();
  }

  @Test
  void query_submittedAgainOrRevised_beginsOnceForEachRevision() {
    submit(1, 5, QueryKind.DEMAND, 1, 0);
    submit(1, 5, QueryKind.DEMAND, 1, 5 * MILLI);
    answer(1, 5, AnswerState.READY, LEASE, 6 * MILLI);
    submit(1, 5, QueryKind.DEMAND, 2, 10 * MILLI);
    answer(1, 5, AnswerState.MISS, LeaseId.NONE, 11 * MILLI);
    times.arrived(restore(1, 6), 12 * MILLI);
    assertThat(total("orbitkv_query_lookup_duration_seconds")).isEqualTo(7 * MILLI);
    assertThat(count("orbitkv_completion_delivery_ms")).isZero();
  }

  @Test
  void preparation_claimed_isPreparedAndThenLookedUpFromItsClaim() {
    submit(1, 5, QueryKind.PREPARE, 1, 0);
    answer(1, 5, AnswerState.LOADING, LeaseId.NONE, MILLI);
    answer(1, 5, AnswerState.PREPARED, LeaseId.NONE, 4 * MILLI);
    answer(1, 5, AnswerState.PREPARED, LeaseId.NONE, 5 * MILLI);
    times.arrived(new Event.Claim(1, 5, 1, -1, true), 10 * MILLI);
    answer(1, 5, AnswerState.READY, LEASE, 12 * MILLI);
    assertThat(total("orbitkv_query_preparation_duration_seconds")).isEqualTo(4 * MILLI);
    assertThat(total("orbitkv_query_lookup_duration_seconds")).isEqualTo(2 * MILLI);
    submit(1, 6, QueryKind.WARM, 1, 0);
    answer(1, 6, AnswerState.WARMED, LeaseId.NONE, MILLI);
    assertThat(count("orbitkv_query_preparation_duration_seconds")).isEqualTo(2);
    assertThat(times.timed()).isEqualTo(1);
  }

  @Test
  void discovery_answered_isTimedByItself() {
    submit(1, 5, QueryKind.DISCOVER, 1, 0);
    times.told(new Command.Candidates(1, 5, 1, new int[0], new int[0], new int[0]), 3 * MILLI);
    assertThat(total("orbitkv_query_discovery_duration_seconds")).isEqualTo(3 * MILLI);
    assertThat(times.timed()).isZero();
  }

  @Test
  void publish_done_isTimedAndFailedOnesAreNot() {
    times.arrived(publish(1, 5), 0);
    answer(1, 5, AnswerState.PUBLISHED, LeaseId.NONE, 7 * MILLI);
    times.arrived(publish(1, 6), 0);
    answer(1, 6, AnswerState.FAILED, LeaseId.NONE, MILLI);
    times.arrived(publish(1, 7), 0);
    times.told(new Command.Refused(1, 7, ErrorCode.LIMIT, "full"), MILLI);
    assertThat(total("orbitkv_save_duration_seconds")).isEqualTo(7 * MILLI);
    assertThat(count("orbitkv_save_duration_seconds")).isEqualTo(1);
    assertThat(times.timed()).isZero();
  }

  @Test
  void session_ended_isForgotten() {
    submit(1, 5, QueryKind.DEMAND, 1, 0);
    answer(1, 5, AnswerState.READY, LEASE, MILLI);
    submit(2, 5, QueryKind.DEMAND, 1, 0);
    times.arrived(new Event.SessionClosed(1), MILLI);
    times.arrived(restore(3, 7), 4 * MILLI);
    assertThat(count("orbitkv_completion_delivery_ms")).isZero();
    assertThat(times.timed()).isEqualTo(2);
  }

  @Test
  void offer_lapsed_isSweptOut() {
    submit(1, 5, QueryKind.DEMAND, 1, 0);
    answer(1, 5, AnswerState.READY, LEASE, MILLI);
    times.arrived(new Event.Tick(), 60_000 * MILLI);
    assertThat(times.timed()).isZero();
    times.arrived(restore(1, 6), 60_001 * MILLI);
    assertThat(count("orbitkv_completion_delivery_ms")).isZero();
  }

  @Test
  void operations_beyondTheLimit_areCountedAndNotTimed() {
    for (int i = 1; i <= 10_000; i++) {
      submit(1, i, QueryKind.DEMAND, 1, 0);
    }
    assertThat(times.timed()).isEqualTo(4096);
    assertThat(times.untimed()).isEqualTo(10_000 - 4096);
  }

  private void submit(long session, long operation, QueryKind kind, int revision, long nanos) {
    times.arrived(
        new Event.Submit(
            session,
            operation,
            revision,
            -1,
            1,
            kind,
            "r",
            new int[] {0},
            new int[] {1},
            new long[2],
            null),
        nanos);
  }

  private void answer(long session, long operation, AnswerState state, LeaseId lease, long nanos) {
    times.told(
        new Command.Answer(session, operation, 1, -1, state, 1, 0, lease, ErrorCode.NONE, ""),
        nanos);
  }

  private static Event restore(long session, long operation) {
    return new Event.Restore(session, operation, -1, 1, LEASE, 0, new int[] {0});
  }

  private static Event publish(long session, long operation) {
    return new Event.Publish(
        session, operation, -1, 1, 0, 0, PageKey.NONE, new long[2], new int[1]);
  }

  private double total(String name) {
    return registry.duration(name, "").distribution().totalNanos();
  }

  private long count(String name) {
    return registry.duration(name, "").distribution().count();
  }
}
