package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The test's thread plays the dispatcher. */
@Timeout(60)
class BackingPortTest {
  private static final Namespace SCOPE = new Namespace("5c".repeat(32));

  private final FakeBackingTier tier = new FakeBackingTier();
  private final BackingPort port = BackingPort.of(tier);
  private final LinkedBlockingQueue<Event> reports = new LinkedBlockingQueue<>();
  private final LinkedBlockingQueue<String> signals = new LinkedBlockingQueue<>();

  @BeforeEach
  void start() {
    port.connect(reports::add, () -> signals.add("work"), () -> 0);
    port.start();
  }

  @AfterEach
  void end() {
    port.close();
  }

  @Test
  void readsThatAreNotTaken_areOfferedAgainInOrder() {
    tier.room.set(1);
    port.read(new Command.Read(List.of(read(1, false), read(2, false), read(3, false))));
    assertThat(takenReads()).containsExactly(1L);
    port.read(new Command.Read(List.of(read(4, false))));
    assertThat(takenReads()).isEmpty();

    tier.room.set(2);
    port.retry();
    assertThat(takenReads()).containsExactly(2L, 3L);
    tier.room.set(9);
    port.retry();
    assertThat(takenReads()).containsExactly(4L);
    port.retry();
    assertThat(tier.room).hasValue(8);
  }

  @Test
  void foregroundReads_goBeforeSpeculativeOnesThatWait() {
    tier.room.set(0);
    port.read(new Command.Read(List.of(read(1, true), read(2, true))));
    port.read(new Command.Read(List.of(read(3, false))));

    tier.room.set(1);
    port.retry();
    assertThat(takenReads()).containsExactly(3L);
    tier.room.set(9);
    port.retry();
    assertThat(takenReads()).containsExactly(1L, 2L);
  }

  @Test
  void raise_movesAWaitingReadAndTellsTheTierOfASubmittedOne() {
    tier.room.set(1);
    port.read(new Command.Read(List.of(read(1, true), read(2, true), read(3, true))));
    takenReads();
    port.raise(3);
    port.raise(1);
    port.raise(99);
    assertThat(tier.raised).containsExactly(1L);

    tier.room.set(9);
    port.retry();
    List<BackingRead> taken = new ArrayList<>(tier.read);
    assertThat(taken).extracting(BackingRead::ticket).containsExactly(3L, 2L);
    assertThat(taken).extracting(BackingRead::speculative).containsExactly(false, true);
    tier.failure = new IllegalStateException("planted");
    port.raise(2);
    assertThat(tier.raised).containsExactly(1L, 2L);
  }

  @Test
  void manyReads_areOfferedInCallsOfLimitedSize() {
    BackingRead[] many = new BackingRead[1000];
    Arrays.setAll(many, i -> read(i + 1, false));
    port.read(new Command.Read(List.of(many)));
    assertThat(takenReads()).hasSize(1000).isSorted();
  }

  @Test
  void eachTicket_hasExactlyOneReport() {
    port.read(new Command.Read(List.of(read(1, false))));
    assertThat(port.reported(new Event.PageRead(1, BackingStatus.DONE))).isTrue();
    assertThatThrownBy(() -> port.reported(new Event.PageRead(1, BackingStatus.DONE)))
        .hasMessage("the backing tier reported read [1], which is not outstanding");
    assertThatThrownBy(() -> port.reported(new Event.PageWritten(1, BackingStatus.DONE)))
        .hasMessage("the backing tier reported write [1], which is not outstanding");
    port.read(new Command.Read(List.of(read(2, false))));
    assertThatThrownBy(() -> port.read(new Command.Read(List.of(read(2, false)))))
        .hasMessage("read [2] was submitted twice");
  }

  @Test
  void tierThatThrows_quarantinesThatCallAndIsNotUsedAnyMore() {
    tier.room.set(0);
    port.read(new Command.Read(List.of(read(1, true))));
    tier.failure = new IllegalStateException("planted");
    port.read(new Command.Read(List.of(read(2, false))));

    assertThat(reports)
        .containsExactly(
            new Event.PageRead(1, BackingStatus.DEVICE_ERROR),
            new Event.PageRead(2, BackingStatus.UNKNOWN));
    reports.forEach(event -> assertThat(port.reported(event)).isTrue());
    reports.clear();
    // It had taken the read all the same, and says so once.
    assertThat(port.reported(new Event.PageRead(2, BackingStatus.DONE))).isFalse();
    assertThatThrownBy(() -> port.reported(new Event.PageRead(2, BackingStatus.DONE)))
        .isInstanceOf(IllegalStateException.class);

    tier.failure = null;
    port.read(new Command.Read(List.of(read(3, false))));
    port.write(write(4));
    assertThat(reports)
        .containsExactly(
            new Event.PageRead(3, BackingStatus.DEVICE_ERROR),
            new Event.PageWritten(4, BackingStatus.DEVICE_ERROR));
    assertThat(port.usage().orElseThrow().degraded()).contains("planted");
  }

  @Test
  void tierThatTellsANonsensicalNumber_isNotUsedAnyMore() {
    tier.liesAbout = 5;
    port.read(new Command.Read(List.of(read(1, false))));
    assertThat(reports).containsExactly(new Event.PageRead(1, BackingStatus.UNKNOWN));
  }

  @Test
  void writes_areOfferedInOrderWhenTheirChecksumIsThere() throws Exception {
    tier.room.set(0);
    port.write(write(1));
    port.write(write(2));
    awaitChecked(2);
    assertThat(tier.written).isEmpty();

    tier.room.set(9);
    port.retry();
    assertThat(tier.written).extracting(each -> each.ticket()).containsExactly(1L, 2L);
    assertThatThrownBy(() -> port.write(write(2))).hasMessage("write [2] was submitted twice");
  }

  @Test
  void tierThatThrowsFromAWrite_quarantinesThatCall() throws Exception {
    tier.failure = new IllegalStateException("planted");
    port.write(write(1));
    awaitChecked(1);
    assertThat(reports).containsExactly(new Event.PageWritten(1, BackingStatus.UNKNOWN));
    assertThat(port.reported(reports.remove())).isTrue();
    assertThat(port.reported(new Event.PageWritten(1, BackingStatus.DONE))).isFalse();
  }

  @Test
  void checksumThatCannotBeMade_endsTheWrite() throws Exception {
    port.write(write(1, Arrays.asList(new HostRun[1])));
    assertThat(reports.poll(20, TimeUnit.SECONDS))
        .isEqualTo(new Event.PageWritten(1, BackingStatus.DEVICE_ERROR));
  }

  @Test
  void reportsOfTheTier_becomeEvents() {
    tier.listener().readDone(1, BackingStatus.SHORT);
    tier.listener().writeDone(2, BackingStatus.FULL);
    tier.listener().stored(FakeBackingTier.key(1), 5);
    tier.listener().lost(FakeBackingTier.key(2));
    tier.listener().evicted(3);
    tier.listener().flushed(4, BackingStatus.DONE);
    tier.listener().forgotten(5, BackingStatus.DONE, 6);
    assertThat(reports)
        .containsExactly(
            new Event.PageRead(1, BackingStatus.SHORT),
            new Event.PageWritten(2, BackingStatus.FULL),
            new Event.PageStored(FakeBackingTier.key(1), 5),
            new Event.PageLost(FakeBackingTier.key(2)),
            new Event.StoreFlushed(4, BackingStatus.DONE),
            new Event.StoreForgot(5, BackingStatus.DONE, 6));
  }

  @Test
  void requestsToTheStore_goToTheTierAndHaveOneReportEach() {
    port.flush(1);
    port.empty(2);
    port.keep(new Command.KeepGeometries(3, SCOPE, List.of()));
    assertThat(tier.asked).containsExactly("flush 1", "empty 2", "keep 3 0");
    assertThat(reports).isEmpty();
    assertThat(port.reported(new Event.StoreFlushed(1, BackingStatus.DONE))).isTrue();
    assertThat(port.reported(new Event.StoreForgot(2, BackingStatus.DONE, 9))).isTrue();
    assertThatThrownBy(() -> port.reported(new Event.StoreForgot(2, BackingStatus.DONE, 9)))
        .hasMessage("the backing tier reported request [2], which is not outstanding");
    assertThatThrownBy(() -> port.keep(new Command.KeepGeometries(3, SCOPE, List.of())))
        .hasMessage("request [3] was submitted twice");
  }

  @Test
  void requestsToATierThatThrows_end() {
    tier.failure = new IllegalStateException("planted");
    port.flush(1);
    port.empty(2);
    assertThat(reports)
        .containsExactly(
            new Event.StoreFlushed(1, BackingStatus.DEVICE_ERROR),
            new Event.StoreForgot(2, BackingStatus.DEVICE_ERROR, 0));
    assertThat(port.reported(reports.remove())).isTrue();
    // It had taken the request all the same, and says so once.
    assertThat(port.reported(new Event.StoreFlushed(1, BackingStatus.DONE))).isFalse();
    assertThatThrownBy(() -> port.reported(new Event.StoreFlushed(1, BackingStatus.DONE)))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void sample_tellsWhatMayBeWrittenWhenItChanges() throws Exception {
    port.sample();
    tier.writeBudgetLeftBytes = 77;
    Event told = null;
    while (told == null) {
      port.sample();
      told = reports.poll(10, TimeUnit.MILLISECONDS);
    }
    assertThat(told).isEqualTo(new Event.WriteAllowance(77));
    tier.writeBudgetLeftBytes = Long.MAX_VALUE;
    told = null;
    while (told == null) {
      port.sample();
      told = reports.poll(10, TimeUnit.MILLISECONDS);
    }
    assertThat(told).isEqualTo(new Event.WriteAllowance(Long.MAX_VALUE));
  }

  @Test
  void none_endsWhateverIsAskedOfIt() {
    BackingPort none = BackingPort.none();
    none.connect(reports::add, () -> {}, () -> 0);
    none.start();
    none.read(new Command.Read(List.of(read(1, false))));
    none.write(write(2));
    none.retry();
    assertThat(reports)
        .containsExactly(
            new Event.PageRead(1, BackingStatus.DEVICE_ERROR),
            new Event.PageWritten(2, BackingStatus.DEVICE_ERROR));
    assertThat(none.usage()).isEmpty();
    none.close();
  }

  private void awaitChecked(int writes) throws InterruptedException {
    for (int i = 0; i < writes; i++) {
      assertThat(signals.poll(20, TimeUnit.SECONDS)).isNotNull();
    }
    assertThat(port.workWaits()).isTrue();
    assertThat(port.advance()).isTrue();
    assertThat(port.advance()).isFalse();
  }

  private List<Long> takenReads() {
    List<BackingRead> taken = new ArrayList<>();
    tier.read.drainTo(taken);
    return taken.stream().map(BackingRead::ticket).toList();
  }

  private static BackingRead read(long ticket, boolean speculative) {
    return new BackingRead(
        ticket,
        FakeBackingTier.key(ticket),
        List.of(new HostRun(4096 * ticket, 4096, 4096)),
        speculative);
  }

  private static Command.Write write(long ticket) {
    return write(ticket, List.of());
  }

  private static Command.Write write(long ticket, List<HostRun> runs) {
    return new Command.Write(ticket, FakeBackingTier.key(ticket), SCOPE, runs);
  }
}
