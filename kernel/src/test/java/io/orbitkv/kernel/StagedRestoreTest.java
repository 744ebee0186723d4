package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Restores of which the submission is told, and the slots of their events. */
class StagedRestoreTest {
  private static final long WORKER = 1;
  private static final long SCHEDULER = 9;

  private final KernelHarness kernel = new KernelHarness();
  private int engine;

  private Command.Registered start(int slots, long maxStagedBytes, boolean able) {
    kernel.open(WORKER);
    kernel.step(
        new Event.Register(
            WORKER,
            kernel.operation(),
            "engine",
            KernelHarness.NAMESPACE,
            KernelHarness.layout(0, 1),
            FakeDeviceMemory.descriptor(),
            able));
    long registration = kernel.only(Command.OpenDevice.class).registration();
    kernel.step(new Event.DeviceOpened(registration, new FakeStagedMemory(slots, maxStagedBytes)));
    Command.Registered registered = kernel.only(Command.Registered.class);
    engine = registered.instance();
    kernel.store(WORKER, engine, 1, 2, 3, 4);
    kernel.open(SCHEDULER);
    return registered;
  }

  /** A restore of one page; its plan is the harness's. */
  private long restore(long page) {
    LeaseId lease = kernel.lease(SCHEDULER, engine, page).lease();
    long operation = kernel.operation();
    kernel.step(
        new Event.Restore(
            WORKER, operation, Event.NO_RECORD, engine, lease, 0, new int[] {(int) page}, true));
    return operation;
  }

  private Command.Answer submitted(CopyPlan plan) {
    kernel.step(new Event.CopySubmitted(plan.id()));
    return kernel.only(Command.Answer.class);
  }

  private void waited(long operation) {
    kernel.step(new Event.StageWaited(WORKER, operation));
    assertEquals(List.of(), kernel.commands);
  }

  @Test
  void register_tellsTheEventsToWhoeverCanWaitForThem() {
    assertEquals(2, start(2, Long.MAX_VALUE, true).stageEvents().size());
  }

  @Test
  void register_ofAWorkerThatCannotWait_tellsNoEventsAndStagesNothing() {
    assertEquals(List.of(), start(2, Long.MAX_VALUE, false).stageEvents());
    restore(1);
    assertFalse(kernel.plan().isStaged());
    assertEquals(1, kernel.counter(KernelCounter.RESTORES_UNSTAGED));
  }

  @Test
  void restore_isToldTwice_whenSubmittedAndWhenOver() {
    start(2, Long.MAX_VALUE, true);
    long operation = restore(1);
    CopyPlan plan = kernel.plan();
    assertEquals(0, plan.stageSlot());
    assertTrue(kernel.all(Command.Answer.class).isEmpty());

    Command.Answer answer = submitted(plan);
    assertEquals(AnswerState.SUBMITTED, answer.state());
    assertEquals(operation, answer.operation());
    assertEquals(0, answer.detail());
    assertEquals(1, kernel.kernel.status().leases());
    kernel.step(new Event.Ask(WORKER, operation, 0));
    assertEquals(AnswerState.SUBMITTED, kernel.only(Command.Answer.class).state());

    kernel.done(plan);
    assertEquals(AnswerState.RESTORED, kernel.only(Command.Answer.class).state());
    assertEquals(0, kernel.kernel.status().leases());
    assertEquals(1, kernel.counter(KernelCounter.RESTORES_STAGED));
  }

  @Test
  void restore_thatWasNotAskedForAsStaged_takesNoSlot() {
    start(1, Long.MAX_VALUE, true);
    LeaseId lease = kernel.lease(SCHEDULER, engine, 1).lease();
    kernel.restore(WORKER, engine, lease, 1);
    assertFalse(kernel.plan().isStaged());
    assertEquals(0, kernel.counter(KernelCounter.RESTORES_UNSTAGED));
  }

  @Test
  void restore_withoutAFreeSlot_endsAsAWhole() {
    start(1, Long.MAX_VALUE, true);
    restore(1);
    assertTrue(kernel.plan().isStaged());
    restore(2);
    assertFalse(kernel.plan().isStaged());
    assertEquals(1, kernel.counter(KernelCounter.RESTORES_UNSTAGED));
    kernel.done(kernel.plan());
    assertEquals(AnswerState.RESTORED, kernel.only(Command.Answer.class).state());
  }

  @Test
  void restore_thatIsTooLarge_endsAsAWhole() {
    start(1, KernelHarness.PAYLOAD_BYTES - 1, true);
    restore(1);
    assertFalse(kernel.plan().isStaged());
  }

  @Test
  void slot_isFree_afterTheEndAndTheWaits() {
    start(1, Long.MAX_VALUE, true);
    long operation = restore(1);
    CopyPlan plan = kernel.plan();
    submitted(plan);
    kernel.done(plan);
    restore(2);
    assertFalse(kernel.plan().isStaged(), "its client may still wait");
    kernel.done(kernel.plan());

    waited(operation);
    long second = restore(2);
    plan = kernel.plan();
    assertTrue(plan.isStaged());
    submitted(plan);
    waited(second);
    restore(3);
    assertFalse(kernel.plan().isStaged(), "its copy runs");
    kernel.done(kernel.plan());
    kernel.done(plan);
    restore(4);
    assertTrue(kernel.plan().isStaged());
  }

  @Test
  void slot_ofARestoreThatWasNeverTold_isFreeWithItsEnd() {
    start(1, Long.MAX_VALUE, true);
    restore(1);
    kernel.failed(kernel.plan());
    assertFalse(kernel.only(Command.Answer.class).message().contains("staged"));
    restore(2);
    assertTrue(kernel.plan().isStaged());
  }

  @Test
  void slot_ofAnUnknownOutcome_isNeverFree() {
    start(1, Long.MAX_VALUE, true);
    long operation = restore(1);
    CopyPlan plan = kernel.plan();
    submitted(plan);
    kernel.unknown(plan);
    waited(operation);
    restore(2);
    assertFalse(kernel.plan().isStaged());
  }

  @Test
  void stageWaited_thatIsEarlyOrStrangeOrRepeated_changesNothing() {
    start(1, Long.MAX_VALUE, true);
    long operation = restore(1);
    CopyPlan plan = kernel.plan();
    waited(operation);
    waited(operation + 100);
    waited(0);
    kernel.step(new Event.StageWaited(77, operation));
    submitted(plan);
    kernel.done(plan);
    restore(2);
    assertFalse(kernel.plan().isStaged(), "the early word counts for nothing");
    kernel.done(kernel.plan());
    waited(operation);
    long second = restore(2);
    CopyPlan staged = kernel.plan();
    submitted(staged);
    kernel.done(staged);
    waited(operation);
    restore(3);
    assertFalse(kernel.plan().isStaged(), "a word about the one before");
    kernel.done(kernel.plan());
    waited(second);
    restore(3);
    assertTrue(kernel.plan().isStaged());
  }

  @Test
  void failureAfterTheSubmission_saysThatTheBlocksAreInvalid() {
    start(1, Long.MAX_VALUE, true);
    restore(1);
    CopyPlan plan = kernel.plan();
    submitted(plan);
    kernel.failed(plan);
    Command.Answer answer = kernel.only(Command.Answer.class);
    assertEquals(AnswerState.FAILED, answer.state());
    assertTrue(answer.message().contains("invalid"), answer.message());
  }

  @Test
  void clientThatDiesAfterTheSubmission_keepsPagesAndMappingUntilTheEnd() {
    start(1, Long.MAX_VALUE, true);
    restore(1);
    CopyPlan plan = kernel.plan();
    submitted(plan);
    kernel.close(WORKER);
    kernel.close(SCHEDULER);
    assertTrue(kernel.all(Command.CloseDevice.class).isEmpty());
    assertTrue(kernel.kernel.status().reservedBytes() > 0);
    kernel.done(plan);
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(0, kernel.kernel.status().leases());
    kernel.only(Command.CloseDevice.class);
  }

  @Test
  void submissionOfAPlanWhoseClientDied_isToldToNobody() {
    start(1, Long.MAX_VALUE, true);
    restore(1);
    CopyPlan plan = kernel.plan();
    kernel.close(WORKER);
    kernel.step(new Event.CopySubmitted(plan.id()));
    assertTrue(kernel.all(Command.Answer.class).isEmpty());
    kernel.done(plan);
    kernel.only(Command.CloseDevice.class);
  }
}
