package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Registration, sealing, retirement, device memory, the ends of sessions. */
class InstanceTest {
  private final KernelHarness kernel = new KernelHarness();

  private void register(long session, WorkerLayout layout, Namespace namespace) {
    kernel.step(
        new Event.Register(
            session,
            kernel.operation(),
            "engine",
            namespace,
            layout,
            FakeDeviceMemory.descriptor()));
  }

  private ErrorCode refused() {
    return kernel.only(Command.Refused.class).error();
  }

  @Test
  void register_isAnsweredWhenTheDeviceIsOpenAndSealsWithTheLastRank() {
    kernel.open(1);
    kernel.open(2);
    assertFalse(kernel.register("engine", 1, KernelHarness.layout(1, 2)).sealed());
    register(2, KernelHarness.layout(0, 2), KernelHarness.NAMESPACE);
    Command.OpenDevice open = kernel.only(Command.OpenDevice.class);
    assertEquals(1, kernel.commands.size());
    assertTrue(kernel.openDevice(open.registration()).sealed());
    assertEquals(1, kernel.kernel.status().instances());
  }

  @Test
  void register_thatDoesNotFit_isAConflict() {
    kernel.open(1);
    kernel.open(2);
    kernel.register("engine", 1, KernelHarness.layout(0, 2));
    register(2, KernelHarness.layout(0, 2), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.CONFLICT, refused());
    register(2, KernelHarness.layout(1, 3), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.CONFLICT, refused());
    register(2, KernelHarness.layout(1, 2), new Namespace("cd".repeat(32)));
    assertEquals(ErrorCode.CONFLICT, refused());
    register(2, KernelHarness.layout(1, 2, -1, 400), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.CONFLICT, refused());
    WorkerLayout other = KernelHarness.layout(1, 2);
    register(
        2, new WorkerLayout(1, 2, 32, -1, other.groups(), other.layers()), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.CONFLICT, refused());
    List<LayerLayout> layers = new ArrayList<>(other.layers());
    layers.add(new LayerLayout("extra", 1, 9_000_000, 4, 10, 1, 0, 10));
    List<GroupSpec> groups =
        List.of(
            new GroupSpec(0, new GroupRule.Prefix()), new GroupSpec(1, new GroupRule.Window(64)));
    register(2, new WorkerLayout(1, 2, 16, -1, groups, layers), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.CONFLICT, refused());
    register(1, KernelHarness.layout(1, 2), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.CONFLICT, refused());
    assertTrue(kernel.register("engine", 2, KernelHarness.layout(1, 2)).sealed());
  }

  @Test
  void register_withTooLittleDeviceMemory_isInvalid() {
    kernel.open(1);
    kernel.step(
        new Event.Register(
            1,
            9,
            "engine",
            KernelHarness.NAMESPACE,
            KernelHarness.layout(0, 1),
            new DeviceMemoryDescriptor.SharedMemory(1, 1, 100)));
    assertEquals(ErrorCode.INVALID, refused());
    assertEquals(0, kernel.kernel.status().instances());
  }

  @Test
  void register_beyondTheLimitOfASession_isRefused() {
    kernel.open(1);
    for (int i = 0; i < 64; i++) {
      kernel.register("engine-" + i, 1, KernelHarness.layout(0, 1));
    }
    register(1, KernelHarness.layout(0, 1), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.LIMIT, refused());
  }

  @Test
  void deviceFailed_freesTheRank() {
    kernel.open(1);
    register(1, KernelHarness.layout(0, 1), KernelHarness.NAMESPACE);
    long registration = kernel.only(Command.OpenDevice.class).registration();
    kernel.step(new Event.DeviceFailed(registration, "seals are missing"));
    assertEquals(ErrorCode.DEVICE, refused());
    assertTrue(kernel.only(Command.Refused.class).message().contains("seals are missing"));
    assertEquals(0, kernel.kernel.status().instances());
    assertTrue(kernel.register("engine", 1, KernelHarness.layout(0, 1)).sealed());
  }

  @Test
  void deviceFailed_afterTheSessionsEnd_isForgotten() {
    kernel.open(1);
    register(1, KernelHarness.layout(0, 1), KernelHarness.NAMESPACE);
    long registration = kernel.only(Command.OpenDevice.class).registration();
    kernel.close(1);
    assertTrue(kernel.commands.isEmpty());
    kernel.step(new Event.DeviceFailed(registration, "late"));
    assertTrue(kernel.commands.isEmpty());
    assertEquals(0, kernel.kernel.status().instances());
  }

  @Test
  void deviceFailed_afterItsRankWantedToLeave_answersBoth() {
    kernel.open(1);
    kernel.open(2);
    int pair = kernel.register("engine", 1, KernelHarness.layout(0, 2)).instance();
    register(2, KernelHarness.layout(1, 2), KernelHarness.NAMESPACE);
    long registration = kernel.only(Command.OpenDevice.class).registration();
    kernel.step(new Event.Unregister(2, 50, pair));
    assertTrue(kernel.all(Command.Done.class).isEmpty());
    kernel.step(new Event.DeviceFailed(registration, "seals are missing"));
    assertEquals(ErrorCode.DEVICE, refused());
    assertEquals(50, kernel.only(Command.Done.class).operation());
  }

  @Test
  void deviceOpened_afterTheSessionsEnd_isClosedAtOnce() {
    kernel.open(1);
    register(1, KernelHarness.layout(0, 1), KernelHarness.NAMESPACE);
    long registration = kernel.only(Command.OpenDevice.class).registration();
    kernel.close(1);
    kernel.step(new Event.DeviceOpened(registration, new FakeDeviceMemory(registration)));
    assertEquals(registration, kernel.only(Command.CloseDevice.class).registration());
    kernel.step(new Event.DeviceClosed(registration));
    assertTrue(kernel.commands.isEmpty());
  }

  @Test
  void deviceOpened_afterAPartnersEnd_isRefusedAndClosed() {
    kernel.open(1);
    kernel.open(2);
    kernel.register("engine", 1, KernelHarness.layout(0, 2));
    register(2, KernelHarness.layout(1, 2), KernelHarness.NAMESPACE);
    long registration = kernel.only(Command.OpenDevice.class).registration();
    kernel.close(1);
    kernel.step(new Event.DeviceOpened(registration, new FakeDeviceMemory(registration)));
    assertEquals(ErrorCode.CONFLICT, refused());
    assertEquals(registration, kernel.only(Command.CloseDevice.class).registration());
  }

  @Test
  void deviceEvents_thatNobodyAskedFor_breakAnInvariant() {
    kernel.open(1);
    long registration = 1;
    assertThrows(
        BrokenInvariant.class,
        () -> kernel.step(new Event.DeviceOpened(99, new FakeDeviceMemory(99))));
    assertThrows(BrokenInvariant.class, () -> kernel.step(new Event.DeviceFailed(99, "x")));
    assertThrows(BrokenInvariant.class, () -> kernel.step(new Event.DeviceClosed(registration)));
    assertThrows(BrokenInvariant.class, () -> kernel.open(1));
  }

  @Test
  void attach_givesHandleAndPageBytes() {
    int pair = kernel.instance("pair", 1, 2);
    kernel.open(9);
    kernel.step(new Event.Attach(9, 5, "pair"));
    Command.Attached attached = kernel.only(Command.Attached.class);
    assertEquals(pair, attached.instance());
    assertEquals(2, attached.worldSize());
    assertEquals(16, attached.pageTokens());
    assertArrayEquals(new long[] {2 * KernelHarness.RUN_BYTES}, attached.pageBytes());
  }

  @Test
  void attach_beforeTheSeal_isRefused() {
    kernel.open(9);
    kernel.step(new Event.Attach(9, 5, "engine"));
    assertEquals(ErrorCode.UNKNOWN, refused());
    kernel.open(1);
    kernel.register("engine", 1, KernelHarness.layout(0, 2));
    kernel.step(new Event.Attach(9, 6, "engine"));
    assertEquals(ErrorCode.NOT_SEALED, refused());
  }

  @Test
  void domains_separateNamespacesAndShapes() {
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1);
    kernel.open(2);
    kernel.step(
        new Event.Register(
            2,
            kernel.operation(),
            "tenant",
            new Namespace("cd".repeat(32)),
            KernelHarness.layout(0, 1),
            FakeDeviceMemory.descriptor()));
    int tenant = kernel.openDevice(kernel.only(Command.OpenDevice.class).registration()).instance();
    assertEquals(AnswerState.MISS, kernel.ask(2, tenant, 1).state());
    kernel.open(3);
    int shape = kernel.register("shape", 3, KernelHarness.layout(0, 1, -1, 400)).instance();
    assertEquals(AnswerState.MISS, kernel.ask(3, shape, 1).state());
    int twin = kernel.instance("twin", 4);
    assertEquals(AnswerState.READY, kernel.ask(4, twin, 1).state());
  }

  // ---- endings ---------------------------------------------------------------------------------

  @Test
  void unregister_isDoneWhenTheDeviceIsClosed() {
    int engine = kernel.instance("engine", 1);
    kernel.step(new Event.Unregister(1, 50, engine));
    long registration = kernel.only(Command.CloseDevice.class).registration();
    assertEquals(1, kernel.commands.size());
    kernel.step(new Event.Unregister(1, 51, engine));
    assertEquals(ErrorCode.CONFLICT, refused());
    kernel.step(new Event.DeviceClosed(registration));
    assertEquals(50, kernel.only(Command.Done.class).operation());
    kernel.step(new Event.Unregister(1, 52, engine));
    assertEquals(ErrorCode.UNKNOWN, refused());
  }

  @Test
  void unregister_afterAPartnerLeft_isDoneAtOnce() {
    int pair = kernel.instance("pair", 1, 2);
    kernel.close(1);
    kernel
        .all(Command.CloseDevice.class)
        .forEach(close -> kernel.step(new Event.DeviceClosed(close.registration())));
    kernel.step(new Event.Unregister(2, 50, pair));
    assertEquals(50, kernel.only(Command.Done.class).operation());
  }

  @Test
  void unregister_byAStranger_isNotOwner() {
    int engine = kernel.instance("engine", 1);
    kernel.open(9);
    kernel.step(new Event.Unregister(9, 50, engine));
    assertEquals(ErrorCode.NOT_OWNER, refused());
  }

  @Test
  void deviceMemory_isClosedOnlyAfterTheLastPlanReported() {
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1);
    Command.Answer lease = kernel.lease(1, engine, 1);
    kernel.restore(1, engine, lease.lease(), 1);
    CopyPlan restore = kernel.plan();
    kernel.publish(1, engine, PageKey.NONE, 2);
    CopyPlan publish = kernel.plan();
    kernel.close(1);
    assertTrue(kernel.commands.isEmpty());
    assertEquals(KernelHarness.RUN_BYTES, kernel.kernel.status().orphanBytes());
    kernel.done(publish);
    assertTrue(kernel.commands.isEmpty());
    kernel.done(restore);
    assertEquals(1, kernel.all(Command.CloseDevice.class).size());
    assertEquals(1, kernel.commands.size());
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(0, kernel.kernel.status().operations());
  }

  @Test
  void deviceMemory_withAnUnknownOutcome_isNeverClosed() {
    int engine = kernel.instance("engine", 1);
    kernel.publish(1, engine, PageKey.NONE, 2);
    kernel.unknown(kernel.plan());
    kernel.step(new Event.Unregister(1, 50, engine));
    assertEquals(ErrorCode.DEVICE, refused());
    assertTrue(kernel.all(Command.CloseDevice.class).isEmpty());
  }

  @Test
  void sessionEnd_retiresTheGenerationAndAllItsShares() {
    int pair = kernel.instance("pair", 1, 2);
    kernel.open(9);
    for (long rank = 1; rank <= 2; rank++) {
      long operation = kernel.publish(rank, pair, PageKey.NONE, 1);
      kernel.done(kernel.plan());
      kernel.commit(rank, operation, true);
    }
    kernel.publish(1, pair, PageKey.NONE, 2);
    kernel.done(kernel.plan());
    Command.Answer lease = kernel.lease(9, pair, 1);
    kernel.close(2);
    assertEquals(0, kernel.kernel.status().reservedBytes());
    assertEquals(0, kernel.kernel.status().unsealedPages());
    assertEquals(1, kernel.kernel.status().residentPages());
    assertEquals(2, kernel.all(Command.CloseDevice.class).size());
    kernel.restore(1, pair, lease.lease(), 1);
    assertEquals(AnswerState.MISS, kernel.only(Command.Answer.class).state());
    kernel.step(KernelHarness.query(9, kernel.operation(), 1, -1, pair, 1));
    assertEquals(ErrorCode.UNKNOWN, refused());
  }

  @Test
  void newGeneration_hasAnotherHandleAndFindsThePages() {
    int first = kernel.instance("engine", 1);
    kernel.store(1, first, 1);
    kernel.close(1);
    int second = kernel.instance("engine", 2);
    assertNotEquals(first, second);
    assertEquals(AnswerState.READY, kernel.ask(2, second, 1).state());
  }

  @Test
  void sessionEnd_withASubmittedCopy_isNotAnswered() {
    int engine = kernel.instance("engine", 1);
    kernel.publish(1, engine, PageKey.NONE, 2);
    CopyPlan plan = kernel.plan();
    kernel.close(1);
    kernel.done(plan);
    assertTrue(kernel.all(Command.Answer.class).isEmpty());
    assertEquals(0, kernel.memory.runs());
  }

  @Test
  void engineStats_ofAnybody_changeNothingElse() {
    int engine = kernel.instance("engine", 1);
    assertTrue(kernel.step(new Event.EngineStats(1, engine, 9000)).isEmpty());
    assertTrue(kernel.step(new Event.EngineStats(1, engine, -1)).isEmpty());
    assertTrue(kernel.step(new Event.EngineStats(1, 4711, 9000)).isEmpty());
  }

  // ---- drain -----------------------------------------------------------------------------------

  @Test
  void drain_ofAnIdleKernel_isDrainedAtOnceAndOnce() {
    assertEquals(1, kernel.step(new Event.Drain()).size());
    assertTrue(kernel.step(new Event.Drain()).isEmpty());
    assertTrue(kernel.step(new Event.Tick()).isEmpty());
  }

  @Test
  void drain_waitsForCopiesAndDeviceMemory() {
    int engine = kernel.instance("engine", 1);
    kernel.store(1, engine, 1);
    Command.Answer lease = kernel.lease(1, engine, 1);
    Command.Answer idle = kernel.lease(1, engine, 1);
    kernel.restore(1, engine, lease.lease(), 1);
    CopyPlan plan = kernel.plan();
    kernel.step(new Event.Drain());
    assertTrue(kernel.commands.isEmpty());
    kernel.step(KernelHarness.query(1, kernel.operation(), 1, -1, engine, 1));
    assertEquals(ErrorCode.DRAINING, refused());
    kernel.publish(1, engine, PageKey.NONE, 3);
    assertEquals(ErrorCode.DRAINING, refused());
    kernel.step(new Event.Attach(1, 7, "engine"));
    assertEquals(ErrorCode.DRAINING, refused());
    register(1, KernelHarness.layout(0, 1), KernelHarness.NAMESPACE);
    assertEquals(ErrorCode.DRAINING, refused());
    kernel.restore(1, engine, idle.lease(), 2);
    assertEquals(AnswerState.MISS, kernel.only(Command.Answer.class).state());
    kernel.done(plan);
    assertEquals(AnswerState.RESTORED, kernel.only(Command.Answer.class).state());
    long registration = kernel.only(Command.CloseDevice.class).registration();
    kernel.step(new Event.DeviceClosed(registration));
    assertEquals(1, kernel.all(Command.Drained.class).size());
  }

  @Test
  void copyCompleted_ofNoPlan_breaksAnInvariant() {
    assertThrows(
        BrokenInvariant.class,
        () -> kernel.step(new Event.CopyCompleted(99, new CopyOutcome.Done())));
  }
}
