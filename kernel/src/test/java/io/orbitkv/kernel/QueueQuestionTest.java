package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.QueuedRequest.State;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Policies are asked about the engines' queues. */
class QueueQuestionTest {
  private TieredKernel kernel = new TieredKernel();
  private Asking asking = new Asking(kernel.kernel, PolicySlot.LOOKAHEAD, PolicySlot.WARMING);

  private static QueuedRequest accepted(String request, long... names) {
    return new QueuedRequest(
        request,
        State.ACCEPTED,
        new int[] {0},
        new int[] {names.length},
        KernelHarness.keys(names),
        null);
  }

  private void report(QueuedRequest... changes) {
    kernel.kernel.step(
        new Event.Queue(
            TieredKernel.SCHEDULER,
            kernel.kernel.operation(),
            kernel.engine,
            Arrays.asList(changes)));
  }

  private List<String> toPrepare() {
    return kernel.kernel.only(Command.AskLookahead.class).queue().stream()
        .map(RequestFacts::requestId)
        .toList();
  }

  private int warmings() {
    return kernel.kernel.all(Command.AskWarming.class).size();
  }

  @Test
  void slotsWithoutAPolicy_areNotAsked() {
    asking.serve(PolicySlot.CUTOFF);
    report(accepted("a", 1));
    assertFalse(asking.asked());
  }

  @Test
  void changedQueue_isToldInArrivalOrder() {
    kernel.publish(1);
    kernel.have(2);
    long first = kernel.kernel.nowNanos;
    report(accepted("a", 1, 2, 3));
    kernel.kernel.nowNanos += 5;
    report(accepted("b", 4));
    Command.AskLookahead question = kernel.kernel.only(Command.AskLookahead.class);
    assertEquals(kernel.engine, question.instance());
    assertEquals(List.of("a", "b"), toPrepare());
    RequestFacts request = question.queue().getFirst();
    assertEquals("engine", request.instance());
    assertEquals(first, request.arrivalNanos());
    assertEquals(3, request.pages());
    assertEquals(1, request.dramPages());
    assertEquals(1, request.ssdPages());
    assertEquals(1, request.groups());
    assertEquals(0, question.queue().getLast().ssdPages());
    assertEquals(1, warmings());
  }

  @Test
  void requestsThatLeft_areNotTold() {
    report(accepted("a", 1), accepted("b", 2));
    report(new QueuedRequest("a", State.EXECUTING, new int[0], new int[0], new long[0], null));
    assertEquals(List.of("b"), toPrepare());
  }

  @Test
  void reportWithoutAChange_isNoQuestion() {
    report();
    assertFalse(asking.asked());
  }

  @Test
  void plannedRead_tellsWhatTheEngineHasToComputeOfOtherRequests() {
    asking.serve(PolicySlot.CUTOFF);
    kernel.publish(1);
    kernel.have(2, 3);
    kernel.demand(3);
    assertEquals(Facts.UNKNOWN, asking.plan().queuedTokens());
    asking.plan(asking.plan(), Asking.everything());
    kernel.arrive(3);
    report(accepted("a", 1, 2, 4), accepted("b", 5, 6));
    kernel.have(7);
    kernel.demand(7);
    assertEquals(3 * TieredKernel.PAGE_TOKENS, asking.plan().queuedTokens());
    report(new QueuedRequest("a", State.EXECUTING, new int[0], new int[0], new long[0], null));
    kernel.have(8);
    kernel.demand(8);
    assertEquals(2 * TieredKernel.PAGE_TOKENS, asking.plan().queuedTokens());
  }

  @Test
  void longQueue_isToldInPart() {
    report(
        IntStream.range(0, 100)
            .mapToObj(i -> accepted("r" + i, 1 + i))
            .toArray(QueuedRequest[]::new));
    assertEquals(64, toPrepare().size());
    assertEquals("r63", toPrepare().getLast());
  }

  @Test
  void warming_isAskedOnceNobodyOwnsForegroundBytes() {
    kernel.publish(7);
    long query = kernel.demand(7);
    report(accepted("a", 1));
    assertEquals(1, toPrepare().size());
    assertEquals(0, warmings());
    kernel.cancel(query);
    assertEquals(1, warmings());
    kernel.cancel(kernel.demand(7));
    assertEquals(0, warmings());
  }

  @Test
  void newPolicy_isAskedAboutTheQueueThatIsThere() {
    asking.serve();
    report(accepted("a", 1));
    asking.serve(PolicySlot.LOOKAHEAD);
    assertEquals(List.of("a"), toPrepare());
  }

  @Test
  void endOfTheInstance_leavesNoQuestion() {
    kernel.publish(7);
    kernel.demand(7);
    report(accepted("a", 1));
    kernel.kernel.close(TieredKernel.WORKER);
    assertEquals(0, warmings());
  }

  @Test
  void drain_asksNothing() {
    long query = kernel.demand(7);
    report(accepted("a", 1));
    kernel.kernel.step(new Event.Drain());
    assertFalse(asking.asked());
    assertTrue(query > 0);
  }

  @Test
  void severalGroups_areToldWithTheirCompleteDemand() {
    kernel = new TieredKernel(TieredKernel.settings(1 << 20), 1L << 30, 1, TieredKernel.HYBRID);
    asking = new Asking(kernel.kernel, PolicySlot.LOOKAHEAD);
    kernel.haveOf(0, 1, 2);
    kernel.haveOf(1, 9);
    report(
        new QueuedRequest(
            "a",
            State.ACCEPTED,
            new int[] {0, 1},
            new int[] {2, 1},
            KernelHarness.keys(1, 2, 9),
            kernel.boundary(2)));
    RequestFacts request = kernel.kernel.only(Command.AskLookahead.class).queue().getFirst();
    assertEquals(2, request.groups());
    assertEquals(3, request.pages());
    assertEquals(2 * TieredKernel.PAGE_TOKENS, request.tokens());
    assertEquals(3, request.ssdPages());
    kernel.kernel.step(new Event.Lookahead(kernel.engine, List.of("a")));
    assertEquals(List.of(1L, 2L, 9L), kernel.inFlight());
  }

  @Test
  void advice_isPreparedUnderACutoff() {
    asking.serve(PolicySlot.LOOKAHEAD, PolicySlot.CUTOFF);
    kernel.have(1, 2);
    report(accepted("a", 1, 2));
    kernel.kernel.step(new Event.Lookahead(kernel.engine, List.of("a")));
    asking.plan(asking.plan(), Asking.first(1));
    kernel.arrive(1);
    long operation = kernel.kernel.operation();
    kernel.kernel.step(
        kernel.question(TieredKernel.SCHEDULER, operation, 1, QueryKind.DEMAND, "a", 1, 2));
    assertEquals(AnswerState.READY, kernel.state(operation));
    assertEquals(Command.CLAIMED_PREPARATION, kernel.answer(operation).detail());
  }
}
