package io.orbitkv.manager.live;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import java.util.Map;
import org.junit.jupiter.api.Test;

class QueryFiguresTest {
  private static final LeaseId LEASE = new LeaseId(3, 4);

  private final QueryFigures figures = new QueryFigures(submit -> Arm.of(submit.instance() == 2));

  private void submit(long operation, int instance, QueryKind kind, long nanos) {
    figures.arrived(
        new Event.Submit(
            1,
            operation,
            0,
            Event.NO_RECORD,
            instance,
            kind,
            "r",
            new int[] {0},
            new int[] {4},
            new long[8],
            null),
        nanos);
  }

  private void answer(long operation, AnswerState state, int hits, LeaseId lease, long nanos) {
    figures.told(
        new Command.Answer(
            1, operation, 0, Event.NO_RECORD, state, hits, 0, lease, ErrorCode.NONE, ""),
        nanos);
  }

  private void restore(long session, long operation, long nanos) {
    figures.arrived(
        new Event.Restore(session, operation, Event.NO_RECORD, 1, LEASE, 0, new int[] {1, 2}),
        nanos);
  }

  @Test
  void wait_goesToTheLastRestoredByteOfAllRanks() {
    submit(1, 1, QueryKind.DEMAND, 1_000_000);
    answer(1, AnswerState.LOADING, 0, LeaseId.NONE, 2_000_000);
    answer(1, AnswerState.READY, 3, LEASE, 5_000_000);
    restore(1, 2, 6_000_000);
    answer(2, AnswerState.RESTORED, 0, LeaseId.NONE, 8_000_000);
    restore(1, 3, 6_000_000);
    answer(3, AnswerState.RESTORED, 0, LeaseId.NONE, 9_000_000);

    ArmFigures a = of(figures.next(), Arm.A);

    assertThat(a.get(Column.QUERIES)).isEqualTo(1);
    assertThat(a.get(Column.ASKED_PAGES)).isEqualTo(4);
    assertThat(a.get(Column.HIT_PAGES)).isEqualTo(3);
    assertThat(a.get(Column.WAIT_NANOS)).isEqualTo(8_000_000);
    assertThat(a.get(Column.RESTORES)).isEqualTo(2);
    assertThat(a.waits()).hasSize(1);
    long upper = a.waits().keySet().iterator().next();
    assertThat(upper).isBetween(8_000_000L, 8_800_000L);
  }

  @Test
  void queries_belongToTheVariantOfTheirInstance_andPreparationsToNone() {
    submit(1, 2, QueryKind.DEMAND, 10);
    answer(1, AnswerState.MISS, 0, LeaseId.NONE, 20);
    submit(2, 1, QueryKind.PREPARE, 10);
    answer(2, AnswerState.READY, 4, LEASE, 20);

    Map<Arm, ArmFigures> counted = figures.next();

    assertThat(of(counted, Arm.A).get(Column.QUERIES)).isZero();
    assertThat(of(counted, Arm.B).get(Column.QUERIES)).isEqualTo(1);
    assertThat(of(counted, Arm.B).get(Column.HIT_PAGES)).isZero();
  }

  @Test
  void claim_beginsAQuery() {
    submit(2, 1, QueryKind.PREPARE, 1_000);
    figures.arrived(new Event.Claim(1, 2, 0, Event.NO_RECORD, true), 500_000);
    answer(2, AnswerState.READY, 4, LEASE, 600_000);

    assertThat(of(figures.next(), Arm.A).get(Column.WAIT_NANOS)).isEqualTo(100_000);
  }

  @Test
  void query_thatGoesOverTheEndOfItsBlock_countsNowhere() {
    submit(1, 1, QueryKind.DEMAND, 10);
    assertThat(of(figures.next(), Arm.A).get(Column.QUERIES)).isZero();
    answer(1, AnswerState.READY, 4, LEASE, 20);

    assertThat(of(figures.next(), Arm.A).get(Column.QUERIES)).isZero();
  }

  @Test
  void moreQueriesThanFit_areCountedAsUnmeasured() {
    for (int operation = 1; operation <= 9_000; operation++) {
      submit(operation, 1, QueryKind.DEMAND, 10);
    }

    assertThat(of(figures.next(), Arm.A).get(Column.UNMEASURED)).isEqualTo(9_000 - 8_192);
  }

  private static ArmFigures of(Map<Arm, ArmFigures> figures, Arm arm) {
    return figures.getOrDefault(arm, new ArmFigures());
  }
}
