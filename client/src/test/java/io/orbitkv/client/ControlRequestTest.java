package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

final class ControlRequestTest extends ClientTestBase {
  private static final Namespace NAMESPACE = new Namespace("ab".repeat(32));

  private static WorkerLayout layout() {
    return new WorkerLayout(
        1,
        2,
        16,
        -1,
        List.of(new GroupSpec(0, new GroupRule.Prefix())),
        List.of(new LayerLayout("layer", 0, 0, 8, 4096, 1, 0, 4096)));
  }

  @Test
  void worker_registerUseAndUnregister_carriesItsInstance() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    DeviceMemoryDescriptor device = new DeviceMemoryDescriptor.SharedMemory(1, 2, 32_768);
    FutureTask<Worker> registering =
        inBackground(() -> client.register("engine", NAMESPACE, layout(), device));
    ClientMessage.Register register = manager.next(ClientMessage.Register.class);
    assertThat(register.instance()).isEqualTo("engine");
    assertThat(register.layout()).isEqualTo(layout());
    assertThat(register.device()).isEqualTo(device);
    manager.send(new ServerMessage.Registered(register.operation(), 9, 4, true));
    Worker worker = get(registering);
    assertThat(worker.instance()).isEqualTo(9);
    assertThat(worker.generation()).isEqualTo(4);
    assertThat(worker.sealed()).isTrue();
    assertThat(worker.rank()).isEqualTo(1);
    assertThat(worker.instanceName()).isEqualTo("engine");

    worker.restore(ScriptedManager.LEASE, 0, new int[] {1});
    assertThat(manager.next(ClientMessage.Restore.class).instance()).isEqualTo(9);
    worker.publish(0, 0, PageKey.NONE, keys(1), new int[] {1});
    assertThat(manager.next(ClientMessage.Publish.class).instance()).isEqualTo(9);

    FutureTask<Boolean> leaving =
        inBackground(() -> {
          worker.unregister();
          return true;
        });
    ClientMessage.Unregister unregister = manager.next(ClientMessage.Unregister.class);
    assertThat(unregister.instance()).isEqualTo(9);
    manager.send(new ServerMessage.Done(unregister.operation(), 0));
    assertThat(get(leaving)).isTrue();
  }

  @Test
  void scheduler_attachAndUse_carriesItsInstance() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    FutureTask<Scheduler> attaching = inBackground(() -> client.attach("engine"));
    ClientMessage.Attach attach = manager.next(ClientMessage.Attach.class);
    manager.send(new ServerMessage.Attached(attach.operation(), 9, 4, 2, 16, new long[] {65_536}));
    Scheduler scheduler = get(attaching);
    assertThat(scheduler.instanceName()).isEqualTo("engine");
    assertThat(scheduler.instance()).isEqualTo(9);
    assertThat(scheduler.generation()).isEqualTo(4);
    assertThat(scheduler.worldSize()).isEqualTo(2);
    assertThat(scheduler.pageTokens()).isEqualTo(16);
    assertThat(scheduler.groups()).isEqualTo(1);
    assertThat(scheduler.pageBytes(0)).isEqualTo(65_536);

    scheduler.query("r", keys(1));
    assertThat(manager.next(ClientMessage.Submit.class).instance()).isEqualTo(9);
    scheduler.query(QueryKind.PRODUCER_WAIT, "r", keys(1));
    assertThat(manager.next(ClientMessage.Submit.class).kind()).isEqualTo(QueryKind.PRODUCER_WAIT);
    scheduler.engineStats(20_000);
    assertThat(manager.next(ClientMessage.EngineStats.class).prefillTokensPerSecond())
        .isEqualTo(20_000);
  }

  @Test
  void attach_notSealed_throwsTheManagersReason() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    FutureTask<Scheduler> attaching = inBackground(() -> client.attach("engine"));
    ClientMessage.Attach attach = manager.next(ClientMessage.Attach.class);
    manager.send(
        new ServerMessage.Refused(attach.operation(), ErrorCode.NOT_SEALED, "1 of 2 ranks"));

    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> get(attaching))
        .havingCause()
        .isInstanceOf(OrbitKvException.class)
        .withMessage("1 of 2 ranks")
        .satisfies(refused ->
            assertThat(((OrbitKvException) refused).code()).isEqualTo(ErrorCode.NOT_SEALED));
  }

  @Test
  void administration_repliesComeInAnotherOrder_eachGetsItsOwn() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    FutureTask<Long> syncing = inBackground(() -> client.sync(LONG));
    ClientMessage.Sync sync = manager.next(ClientMessage.Sync.class);
    FutureTask<Long> evicting = inBackground(() -> client.evict());
    ClientMessage.Evict evict = manager.next(ClientMessage.Evict.class);
    FutureTask<String> status = inBackground(client::status);
    ClientMessage.Status ask = manager.next(ClientMessage.Status.class);

    manager.send(new ServerMessage.StatusReport(ask.operation(), "{\"leases\":0}"));
    manager.send(new ServerMessage.Done(evict.operation(), 4096));
    manager.send(new ServerMessage.Done(sync.operation(), 3));

    assertThat(get(status)).isEqualTo("{\"leases\":0}");
    assertThat(get(evicting)).isEqualTo(4096);
    assertThat(get(syncing)).isEqualTo(3);
  }

  @Test
  void sync_noReplyInTime_saysThatItMayStillHappen() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    assertThatExceptionOfType(RequestTimedOutException.class)
        .isThrownBy(() -> client.sync(Duration.ofMillis(5)))
        .withMessage("Sync got no reply within [5] ms; the Manager may still do it");
    assertThat(client.connected()).isTrue();
  }

  @Test
  void evictAllAndSyncDurable_sayWhatTheyWant() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    FutureTask<Long> evicting = inBackground(() -> client.evictAll(LONG));
    ClientMessage.Evict evict = manager.next(ClientMessage.Evict.class);
    FutureTask<Long> syncing = inBackground(() -> client.syncDurable(LONG));
    ClientMessage.Sync sync = manager.next(ClientMessage.Sync.class);
    assertThat(evict.everywhere()).isTrue();
    assertThat(sync.durable()).isTrue();
    manager.send(new ServerMessage.Done(sync.operation(), 1));
    manager.send(new ServerMessage.Done(evict.operation(), 2));
    assertThat(get(evicting)).isEqualTo(2);
    assertThat(get(syncing)).isEqualTo(1);
  }

  @Test
  void echo_largerThanAFrame_isRefusedHere() throws Exception {
    connect(ScriptedManager.Greeting.BOARD);
    assertThatExceptionOfType(OrbitKvException.class)
        .isThrownBy(() -> client.echo(new byte[1 << 20], 1))
        .satisfies(refused -> assertThat(refused.code()).isEqualTo(ErrorCode.LIMIT));
    assertThat(client.waiting()).isZero();
    assertThat(client.connected()).isTrue();
  }
}
