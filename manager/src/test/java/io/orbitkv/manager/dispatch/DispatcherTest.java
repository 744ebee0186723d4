package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.fixture.FakeKernel;
import io.orbitkv.wire.ServerMessage;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class DispatcherTest {
  private static final LayerLayout LAYER = new LayerLayout("layer", 0, 0, 8, 4096, 1, 0, 4096);
  private static final WorkerLayout LAYOUT =
      new WorkerLayout(
          0, 1, 16, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), List.of(LAYER));
  private static final DeviceMemoryDescriptor SHARED =
      new DeviceMemoryDescriptor.SharedMemory(1, 2, 32768);

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final FakeKernel kernel = new FakeKernel();
  private final FakeCopier copier = new FakeCopier();
  private final DeviceThread devices = new DeviceThread();
  private final FakeBackingTier tier = new FakeBackingTier();
  private final BackingPort backing = BackingPort.of(tier);
  private final AtomicLong now = new AtomicLong(42);
  private final BlockingQueue<Throwable> fatal = new LinkedBlockingQueue<>();
  private final BlockingQueue<Long> batches = new LinkedBlockingQueue<>();
  private final Dispatcher dispatcher =
      new Dispatcher(
          kernel,
          now::get,
          new Copiers(List.of(copier)),
          devices,
          backing,
          fatal::add,
          4,
          batches::add);

  @BeforeEach
  void start() {
    dispatcher.start();
  }

  @AfterEach
  void end() {
    dispatcher.close();
    backing.close();
    devices.close();
  }

  @Test
  void deadlineOfTheKernel_isSteppedOnceWhenItIsDue() throws Exception {
    kernel.deadline(100);
    dispatcher.wake();
    assertThat(batches.take()).isEqualTo(42);
    now.set(100);
    dispatcher.wake();

    assertThat(kernel.nextTick()).isNotNull();
    // The deadline has not moved: it is not stepped again and again.
    dispatcher.submit(new Event.Sync(1, 1));
    assertThat(kernel.next(Event.Sync.class)).isNotNull();
    assertThat(kernel.waiting()).isZero();
    kernel.deadline(99);
    dispatcher.wake();
    assertThat(kernel.nextTick()).isNotNull();
  }

  @Test
  void deadlineInTheFuture_isSteppedWithoutAnybodyElse() throws Exception {
    kernel.script(event -> {
      now.set(Long.MAX_VALUE / 2);
      return List.of();
    });
    kernel.deadline(1_000_000);
    dispatcher.submit(new Event.Sync(1, 1));
    assertThat(kernel.nextTick()).isNotNull();
  }

  @Test
  void acknowledgement_goesBeforeMessagesThatWait() throws Exception {
    CountDownLatch stepping = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    List<Event> stepped = new CopyOnWriteArrayList<>();
    kernel.script(event -> {
      stepped.add(event);
      stepping.countDown();
      awaitQuietly(go);
      return List.of();
    });
    dispatcher.submit(new Event.Sync(1, 1));
    assertThat(stepping.await(20, TimeUnit.SECONDS)).isTrue();
    dispatcher.submit(new Event.Sync(1, 2));
    dispatcher.submit(new Event.Sync(1, 3));
    dispatcher.submit(new Event.Taken(1, 7, 1));
    dispatcher.submit(new Event.Taken(1, 8, 1));
    assertThat(dispatcher.backlog()).isEqualTo(4);
    go.countDown();
    dispatcher.inspect().get(20, TimeUnit.SECONDS);

    assertThat(stepped)
        .containsExactly(
            new Event.Sync(1, 1),
            new Event.Taken(1, 7, 1),
            new Event.Taken(1, 8, 1),
            new Event.Sync(1, 2),
            new Event.Sync(1, 3));
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void settle_whenNothingIsUnderWay_stepsTwoTicksAndReturns() throws Exception {
    assertThat(dispatcher.settle(PATIENCE)).isNull();
    assertThat(kernel.nextTick()).isNotNull();
    assertThat(kernel.nextTick()).isNotNull();
  }

  @Test
  void settle_whileAStepDoesNotEnd_tellsThatItWaitsForTheDispatcher() throws Exception {
    CountDownLatch stepping = new CountDownLatch(1);
    CountDownLatch go = new CountDownLatch(1);
    kernel.script(event -> {
      stepping.countDown();
      awaitQuietly(go);
      return List.of();
    });
    dispatcher.submit(new Event.Sync(1, 1));
    assertThat(stepping.await(20, TimeUnit.SECONDS)).isTrue();

    assertThat(dispatcher.settle(Duration.ofMillis(1))).isEqualTo("the dispatcher");
    go.countDown();
    // Who gave up is forgotten, the next one is served.
    assertThat(dispatcher.settle(PATIENCE)).isNull();
  }

  @Test
  void settle_whileThePageIsWritten_namesTheTierAndEndsWithTheWrite() throws Exception {
    backing.start();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment page = arena.allocate(4096, 4096);
      List<HostRun> runs = List.of(new HostRun(page.address(), 4096, 4096));
      kernel.script(event ->
          event instanceof Event.Sync
              ? List.of(
                  new Command.Write(
                      3, FakeBackingTier.key(1), FakeBackingTier.key(1).namespace(), runs))
              : List.of());
      dispatcher.submit(new Event.Sync(1, 1));
      assertThat(tier.written.poll(20, TimeUnit.SECONDS)).isNotNull();

      String awaited;
      do {
        awaited = dispatcher.settle(Duration.ofMillis(10));
        // A dispatcher that has not looked yet says so.
      } while ("the dispatcher".equals(awaited));
      assertThat(awaited).isEqualTo("the backing tier");

      tier.listener().writeDone(3, BackingStatus.DONE);
      assertThat(dispatcher.settle(PATIENCE)).isNull();
    }
  }

  @Test
  void settle_afterTheEnd_isRefused() {
    dispatcher.close();
    assertThatThrownBy(() -> dispatcher.settle(PATIENCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("ended");
  }

  @Test
  void candidates_goToTheirSession() throws Exception {
    FakeSession session = new FakeSession();
    kernel.script(event ->
        event instanceof Event.Sync sync
            ? List.of(
                new Command.Candidates(
                    5, sync.operation(), 2, new int[] {0}, new int[] {1}, new int[] {0}),
                new Command.Done(5, 9, 0))
            : List.of());
    dispatcher.open(session);
    dispatcher.submit(new Event.Sync(5, 8));
    dispatcher.inspect().get(20, TimeUnit.SECONDS);
    assertThat(session.calls).containsExactly("Candidates 8", "Done 9");
  }

  @Test
  void reportOfAPageThatNobodyReads_endsTheProcess() throws Exception {
    backing.start();
    tier.listener().readDone(7, BackingStatus.DONE);
    assertThat(fatal.poll(20, TimeUnit.SECONDS))
        .hasMessage("the backing tier reported read [7], which is not outstanding");
  }

  @Test
  void recoveredPages_areKnownWhenTheTierHasStarted() throws Exception {
    StoredKey key = FakeBackingTier.key(1);
    tier.recovers(key, 4096);
    backing.start();
    assertThat(kernel.next()).isEqualTo(new Event.PagesStored(List.of(key)));
    tier.listener().lost(key);
    assertThat(kernel.next()).isEqualTo(new Event.PageLost(key));
  }

  @Test
  void write_getsItsChecksumAwayFromTheDispatcher() throws Exception {
    backing.start();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment page = arena.allocate(8192, 4096).fill((byte) 7);
      List<HostRun> runs =
          List.of(
              new HostRun(page.address(), 4000, 4096),
              new HostRun(page.address() + 4096, 100, 4096));
      kernel.script(event ->
          event instanceof Event.Sync
              ? List.of(
                  new Command.Write(
                      3, FakeBackingTier.key(1), FakeBackingTier.key(1).namespace(), runs))
              : List.of());
      dispatcher.submit(new Event.Sync(1, 1));
      BackingWrite write = tier.written.poll(20, TimeUnit.SECONDS);
      CRC32C expected = new CRC32C();
      byte[] sevens = new byte[4100];
      Arrays.fill(sevens, (byte) 7);
      expected.update(sevens);
      assertThat(write)
          .isEqualTo(new BackingWrite(3, FakeBackingTier.key(1), runs, (int) expected.getValue()));
      tier.listener().writeDone(3, BackingStatus.DONE);
      assertThat(kernel.next(Event.PageWritten.class))
          .isEqualTo(new Event.PageWritten(3, BackingStatus.DONE));
    }
  }

  @Test
  void deviceMemory_isOpenedAndClosedOnTheDeviceThread() throws Exception {
    DeviceMemory memory = openMemory(7);
    kernel.script(event ->
        event instanceof Event.Sync ? List.of(new Command.CloseDevice(7, memory)) : List.of());
    dispatcher.submit(new Event.Sync(1, 1));

    assertThat(kernel.next(Event.DeviceClosed.class).registration()).isEqualTo(7);
    assertThat(copier.calls).containsExactly("open on orbitkv-device", "close on orbitkv-device");
  }

  @Test
  void deviceMemoryThatCannotBeOpened_isReportedWithTheReason() throws Exception {
    copier.refusesToOpen = true;
    kernel.script(openOnSync(7, SHARED));
    dispatcher.submit(new Event.Sync(1, 1));

    assertThat(kernel.next(Event.DeviceFailed.class))
        .isEqualTo(new Event.DeviceFailed(7, "planted refusal"));
  }

  @Test
  void copierThatLacksAClass_isReportedAsARefusal() throws Exception {
    copier.missing = new NoClassDefFoundError("planted/Class");
    kernel.script(openOnSync(7, SHARED));
    dispatcher.submit(new Event.Sync(1, 1));

    assertThat(kernel.next(Event.DeviceFailed.class))
        .isEqualTo(new Event.DeviceFailed(7, "java.lang.NoClassDefFoundError: planted/Class"));
  }

  @Test
  void deviceMemoryThatCannotBeClosed_isNotReportedClosedAndNamedAsStuck() throws Exception {
    DeviceMemory memory = openMemory(7);
    copier.missing = new NoClassDefFoundError("planted/Class");
    kernel.script(event ->
        event instanceof Event.Sync ? List.of(new Command.CloseDevice(7, memory)) : List.of());
    dispatcher.submit(new Event.Sync(1, 1));
    kernel.next(Event.Sync.class);
    dispatcher.inspect().join();
    CountDownLatch handled = new CountDownLatch(1);
    devices.later(handled::countDown);
    handled.await();
    dispatcher.inspect().join();

    assertThat(devices.stuck()).containsExactly(7L);
    assertThat(kernel.waiting()).isZero();
  }

  @Test
  void deviceMemoryOfAnotherKind_isRefusedWithTheKindsThatThereAre() throws Exception {
    kernel.script(
        openOnSync(
            7,
            new DeviceMemoryDescriptor.CudaIpc(
                "GPU-1",
                List.of(new DeviceMemoryDescriptor.CudaIpc.Allocation("00".repeat(64), 0, 4096)),
                List.of())));
    dispatcher.submit(new Event.Sync(1, 1));

    assertThat(kernel.next(Event.DeviceFailed.class).message())
        .contains("cuda-ipc", "shared-memory");
  }

  @Test
  void planThatACopierDoesNotTake_isOfferedAgainAfterACompletion() throws Exception {
    DeviceMemory memory = openMemory(7);
    copier.room.set(1);
    kernel.script(event ->
        event instanceof Event.Sync
            ? List.of(
                new Command.Copy(plan(1, memory)),
                new Command.Copy(plan(2, memory)),
                new Command.Copy(plan(3, memory)))
            : List.of());
    dispatcher.submit(new Event.Sync(1, 1));
    FakeCopier.Taken first = copier.taken.take();
    copier.room.set(1);
    first.done();
    FakeCopier.Taken second = copier.taken.take();
    copier.room.set(1);
    second.done();

    assertThat(first.plan().id()).isEqualTo(1);
    assertThat(second.plan().id()).isEqualTo(2);
    assertThat(copier.taken.take().plan().id()).isEqualTo(3);
    assertThat(kernel.next(Event.CopyCompleted.class))
        .isEqualTo(new Event.CopyCompleted(1, new CopyOutcome.Done()));
  }

  @Test
  void planThatACopierDoesNotTake_isOfferedAgainAtTheTick() throws Exception {
    DeviceMemory memory = openMemory(7);
    copier.room.set(0);
    kernel.script(event ->
        event instanceof Event.Sync ? List.of(new Command.Copy(plan(1, memory))) : List.of());
    dispatcher.submit(new Event.Sync(1, 1));
    dispatcher.inspect().join();
    copier.room.set(1);
    dispatcher.tick();

    assertThat(copier.taken.take().plan().id()).isEqualTo(1);
  }

  @Test
  void reportOfNoPlan_endsTheProcess() throws Exception {
    dispatcher.report(new Event.CopyCompleted(99, new CopyOutcome.Done()));

    assertThat(fatal.take()).hasMessageContaining("[99]");
    dispatcher.ended().get(20, TimeUnit.SECONDS);
  }

  @Test
  void throwableInTheKernel_endsTheProcessAndNothingWaitsForIt() throws Exception {
    kernel.script(event -> {
      throw new AssertionError("planted");
    });
    dispatcher.submit(new Event.Drain());

    assertThat(fatal.take()).hasMessage("planted");
    dispatcher.ended().get(20, TimeUnit.SECONDS);
    assertThat(dispatcher.submit(new Event.Drain())).isFalse();
    assertThatThrownBy(() -> dispatcher.inspect().join())
        .isInstanceOf(CompletionException.class)
        .hasMessageContaining("has ended");
    assertThatThrownBy(() -> dispatcher.verify().join()).isInstanceOf(CompletionException.class);
  }

  @Test
  void brokenInvariant_foundByTheDeepCheck_endsTheProcess() throws Exception {
    dispatcher.verify().join();
    kernel.breakInvariant();

    assertThatThrownBy(() -> dispatcher.verify().join()).hasMessageContaining("planted");
    assertThat(fatal.take()).hasMessage("planted");
  }

  @Test
  void reports_arePutInWhileTheMailboxIsFull() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    DeviceMemory memory = openMemory(7);
    kernel.script(event -> {
      if (event instanceof Event.Evict) {
        return List.of(new Command.Copy(plan(1, memory)));
      }
      if (event instanceof Event.Sync sync && sync.operation() == 1) {
        inside.countDown();
        await(release);
      }
      return List.of();
    });
    dispatcher.submit(new Event.Evict(1, 1));
    FakeCopier.Taken copy = copier.taken.take();
    dispatcher.submit(new Event.Sync(1, 1));
    inside.await();
    for (int operation = 2; operation <= 5; operation++) {
      dispatcher.submit(new Event.Sync(1, operation));
    }
    assertThat(dispatcher.backlog()).isEqualTo(4);

    copy.done();
    release.countDown();

    // The report overtakes what waits in the mailbox.
    assertThat(kernel.next(Event.Sync.class).operation()).isEqualTo(1);
    assertThat(kernel.next()).isInstanceOf(Event.CopyCompleted.class);
  }

  @Test
  void tick_thatWasNotHandledYet_isNotDoubled() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    kernel.script(event -> {
      if (event instanceof Event.Sync) {
        inside.countDown();
        await(release);
      }
      return List.of();
    });
    dispatcher.submit(new Event.Sync(1, 1));
    inside.await();
    dispatcher.tick();
    dispatcher.tick();
    release.countDown();
    kernel.nextTick();
    dispatcher.inspect().join();

    assertThat(kernel.waiting()).isZero();
  }

  @Test
  void drained_isTold() throws Exception {
    kernel.script(
        event -> event instanceof Event.Drain ? List.of(new Command.Drained()) : List.of());
    assertThat(dispatcher.drained()).isNotDone();
    dispatcher.submit(new Event.Drain());

    dispatcher.drained().get(20, TimeUnit.SECONDS);
  }

  @Test
  void sessionThatIsGone_getsNothing() throws Exception {
    FakeSession session = new FakeSession();
    kernel.script(event -> {
      Command.Answer answer =
          new Command.Answer(5, 1, 1, -1, AnswerState.MISS, 0, 0, LeaseId.NONE, ErrorCode.NONE, "");
      return List.of(answer, new Command.Done(5, 2, 3), new Command.CloseSession(6, "x"));
    });
    dispatcher.open(session);
    dispatcher.submit(new Event.SessionClosed(5));
    dispatcher.submit(new Event.Sync(5, 9));
    dispatcher.inspect().join();

    assertThat(session.calls).containsExactly("Answer 1", "Done 2", "Answer 1", "Done 2", "ended");
  }

  @Test
  void endOfTheDispatcher_letsGoOfEverySession() throws Exception {
    FakeSession session = new FakeSession();
    dispatcher.open(session);
    dispatcher.close();
    dispatcher.ended().get(20, TimeUnit.SECONDS);

    assertThat(session.calls).containsExactly("ended");
    assertThat(dispatcher.open(session)).isFalse();
  }

  @Test
  void wake_runsWhatFollowsABatch() throws Exception {
    batches.clear();
    dispatcher.wake();

    assertThat(batches.take()).isEqualTo(42);
  }

  @Test
  void picture_whileACopyIsNotReported_countsItsPlan() throws Exception {
    DeviceMemory memory = openMemory(7);
    kernel.script(event ->
        event instanceof Event.Sync sync
            ? List.of(new Command.Copy(plan(sync.operation(), memory)))
            : List.of());
    copier.room.set(1);
    dispatcher.submit(new Event.Sync(1, 5));
    dispatcher.submit(new Event.Sync(1, 6));
    assertThat(dispatcher.picture().get().copiers())
        .containsExactly(new CopierFigures(DeviceMemoryDescriptor.SharedMemory.KIND, 2, 8192, 1));

    copier.room.set(1);
    copier.taken.take().done();
    kernel.next(Event.CopyCompleted.class);
    copier.taken.take().done();
    kernel.next(Event.CopyCompleted.class);
    assertThat(dispatcher.picture().get().copiers())
        .containsExactly(new CopierFigures(DeviceMemoryDescriptor.SharedMemory.KIND, 0, 0, 0));
  }

  private DeviceMemory openMemory(long registration) throws InterruptedException {
    kernel.script(openOnSync(registration, SHARED));
    dispatcher.submit(new Event.Sync(1, 1));
    return kernel.next(Event.DeviceOpened.class).memory();
  }

  @Test
  void policies_areAdvancedAtTheirDeadlineAndChangedBetweenTwoEvents() throws Exception {
    FakePolicies policies = new FakePolicies();
    FakeKernel kernel = new FakeKernel();
    try (Dispatcher asking =
        new Dispatcher(
            kernel,
            System::nanoTime,
            new Copiers(List.of()),
            devices,
            BackingPort.none(),
            fatal::add,
            4,
            policies,
            DispatchMeter.NONE)) {
      asking.start();
      long deadline = System.nanoTime() + 5_000_000;
      asking
          .change(() -> {
            policies.deadline = deadline;
            return Optional.of(new Event.Policies(Set.of(PolicySlot.CUTOFF), Set.of()));
          })
          .join();

      assertThat(kernel.next(Event.Policies.class).asked()).containsExactly(PolicySlot.CUTOFF);
      // Nothing else wakes it: no tick, no message.
      assertThat(policies.due.take()).isGreaterThanOrEqualTo(deadline);
    }
  }

  private static final class FakePolicies implements PolicyPort {
    private final BlockingQueue<Long> due = new LinkedBlockingQueue<>();
    private volatile long deadline = KernelPort.NO_DEADLINE;

    @Override
    public void connect(Consumer<Event> reports, Runnable wake) {}

    @Override
    public void ask(Command.ToPolicies question, long nowNanos) {}

    @Override
    public void heard(Event event, long nowNanos) {}

    @Override
    public void registered(Command.Registered registered) {}

    @Override
    public void advance(long nowNanos) {
      if (deadline != KernelPort.NO_DEADLINE && nowNanos - deadline >= 0) {
        deadline = KernelPort.NO_DEADLINE;
        due.add(nowNanos);
      }
    }

    @Override
    public long nextDeadlineNanos() {
      return deadline;
    }

    @Override
    public List<String> busy(long nowNanos) {
      return List.of();
    }

    @Override
    public void patient(boolean patient) {}

    @Override
    public List<PolicyFigures> figures() {
      return List.of();
    }
  }

  private static Function<Event, List<Command>> openOnSync(
      long registration, DeviceMemoryDescriptor device) {
    return event ->
        event instanceof Event.Sync
            ? List.of(new Command.OpenDevice(registration, device, LAYOUT))
            : List.of();
  }

  private static CopyPlan plan(long id, DeviceMemory memory) {
    return new CopyPlan(
        id,
        memory,
        SlotLayout.of(0, List.of(LAYER)),
        CopyPlan.Direction.DEVICE_TO_HOST,
        false,
        CopyPlan.NO_EVENT,
        new long[] {4096},
        new int[] {0});
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private static final class FakeSession implements SessionPort {
    private final List<String> calls = new CopyOnWriteArrayList<>();

    @Override
    public long number() {
      return 5;
    }

    @Override
    public int boardRecords() {
      return 0;
    }

    @Override
    public void post(Command.Answer answer) {
      calls.add("post");
    }

    @Override
    public void send(ServerMessage message) {
      calls.add(message.getClass().getSimpleName() + " " + message.operation());
    }

    @Override
    public void close(String reason) {
      calls.add("close");
    }

    @Override
    public void ended() {
      calls.add("ended");
    }
  }
}
