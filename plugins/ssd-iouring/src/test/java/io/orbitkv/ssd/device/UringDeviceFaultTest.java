package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.testkit.TestPluginContext;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the rings' threads do with what a system may answer. No ring of the system is used. */
class UringDeviceFaultTest {
  private static final long MB = 1L << 20;

  private final TestPluginContext context = new TestPluginContext("ssd-iouring");
  private final RecordedCompletions completions = new RecordedCompletions();
  private final ScriptedRing reads = new ScriptedRing();
  private final ScriptedRing writes = new ScriptedRing();
  private final AtomicLong now = new AtomicLong();
  private DeviceFile file;
  private UringDevice device;

  @TempDir Path folder;

  @BeforeEach
  void start() throws IOException {
    file = DeviceFile.open(folder.resolve("store"), 16 * MB, false);
    device =
        start(lane ->
            switch (lane) {
              case READ -> reads;
              case WRITE -> writes;
            });
  }

  @AfterEach
  void close() {
    device.close();
    file.close();
    assertThat(context.runningThreads()).isEmpty();
    context.close();
  }

  @Test
  void completion_short_isContinued() throws InterruptedException {
    Transfer read = submit(Transfer.Kind.READ, 0, MB);
    reads.complete(reads.awaitRequest().number(), 4096 * 3);
    Request rest = reads.awaitRequest();
    assertThat(rest.offset()).isEqualTo(4096 * 3);
    reads.complete(rest);
    completions.await(1);
    assertThat(completions.errorOf(read)).isZero();
  }

  @Test
  void completion_interruptedOrRefusedForNow_isRepeated() throws InterruptedException {
    Transfer write = submit(Transfer.Kind.WRITE, 0, MB);
    Request first = writes.awaitRequest();
    writes.complete(first.number(), -Errors.EINTR);
    Request second = writes.awaitRequest();
    writes.complete(second.number(), -Errors.EAGAIN);
    Request third = writes.awaitRequest();
    assertThat(List.of(first.number(), second.number(), third.number())).doesNotHaveDuplicates();
    writes.complete(third);
    completions.await(1);
    assertThat(completions.errorOf(write)).isZero();
  }

  @Test
  void completion_error_endsTheTransferWithIt() throws InterruptedException {
    Transfer read = submit(Transfer.Kind.READ, 0, MB);
    reads.complete(reads.awaitRequest().number(), -Errors.EIO);
    completions.await(1);
    assertThat(completions.errorOf(read)).isEqualTo(Errors.EIO);
  }

  @Test
  void completion_ofNothingInFlight_endsWhatIsInFlightAsUnknown() throws InterruptedException {
    Transfer read = submit(Transfer.Kind.READ, 0, MB);
    Request request = reads.awaitRequest();
    reads.complete(request.number() + 1000, 4096);
    completions.await(1);
    assertThat(completions.errorOf(read)).isEqualTo(StoreDevice.UNKNOWN);
    assertBroken();
  }

  @Test
  void completion_twice_breaksTheRing() throws InterruptedException {
    Transfer first = submit(Transfer.Kind.READ, 0, MB);
    Transfer second = submit(Transfer.Kind.READ, 4 * MB, MB);
    Request request = reads.awaitRequest();
    reads.complete(request);
    reads.complete(request);
    completions.await(2);
    assertThat(completions.errorOf(first)).isZero();
    assertThat(completions.errorOf(second)).isEqualTo(StoreDevice.UNKNOWN);
    assertBroken();
  }

  @Test
  void wait_refusedBySystem_breaksTheRing() throws InterruptedException {
    Transfer read = submit(Transfer.Kind.READ, 0, MB);
    Request request = reads.awaitRequest();
    assertThat(request.bytes()).isEqualTo(MB);
    reads.refuse(Errors.EINVAL);
    completions.await(1);
    assertThat(completions.errorOf(read)).isEqualTo(StoreDevice.UNKNOWN);
    assertBroken();
  }

  @Test
  void thread_meetsAFault_endsEverythingAndServesTheOtherLane() throws InterruptedException {
    Transfer flying = submit(Transfer.Kind.READ, 0, MB);
    assertThat(reads.awaitRequest().bytes()).isEqualTo(MB);
    reads.throwAtNextRequest();
    Transfer fatal = submit(Transfer.Kind.READ, 4 * MB, MB);
    completions.await(2);
    assertThat(completions.errorOf(flying)).isEqualTo(StoreDevice.UNKNOWN);
    assertThat(completions.errorOf(fatal)).isEqualTo(StoreDevice.UNKNOWN);
    assertBroken();
  }

  @Test
  void device_stalls_nobodyElseWaits() throws InterruptedException {
    submit(Transfer.Kind.READ, 0, MB);
    Request stalled = reads.awaitRequest();
    now.addAndGet(7_000_000_000L);

    assertThat(device.usage().oldestNanos()).isEqualTo(7_000_000_000L);
    Transfer write = submit(Transfer.Kind.WRITE, 8 * MB, 4096);
    now.addAndGet(1_000_000_000L);
    // Time passes only here: the write ring looks again when something is submitted.
    Transfer sync = submit(Transfer.Kind.SYNC, 0, 0);
    Request first = writes.awaitRequest();
    // The sync yields to the read for a moment, and no longer; a completion is an occasion to look.
    now.addAndGet(1_000_000_000L);
    writes.complete(first);
    writes.complete(writes.awaitRequest());
    completions.await(2);
    assertThat(completions.errorOf(write)).isZero();
    assertThat(completions.errorOf(sync)).isZero();

    reads.complete(stalled);
    completions.await(3);
    assertThat(device.usage().oldestNanos()).isZero();
  }

  @Test
  void thread_nothingToDo_sleeps() throws InterruptedException {
    for (int i = 0; i < 20; i++) {
      submit(Transfer.Kind.READ, 0, MB);
      reads.complete(reads.awaitRequest());
      completions.await(i + 1);
    }
    // A wake and a completion for each, and the wait that lasts.
    assertThat(reads.waits()).isLessThanOrEqualTo(2 * 20 + 1);
    assertThat(writes.waits()).isLessThanOrEqualTo(1);
  }

  @Test
  void close_whileATransferIsUnderWay_isABug() throws InterruptedException {
    submit(Transfer.Kind.READ, 0, MB);
    Request request = reads.awaitRequest();
    assertThatThrownBy(() -> device.close()).isInstanceOf(IllegalStateException.class);
    reads.complete(request);
    completions.await(1);
    device.close();
    assertThat(reads.closed()).isTrue();
    assertThat(writes.closed()).isTrue();
    assertThatThrownBy(() -> submit(Transfer.Kind.READ, 0, MB))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void start_oneRingIsRefused_endsTheOther() {
    ScriptedRing made = new ScriptedRing();
    assertThatThrownBy(() ->
            start(lane -> {
              if (lane == Lane.WRITE) {
                throw new IOException("planted");
              }
              return made;
            }))
        .isInstanceOf(IOException.class)
        .hasMessage("planted");
    assertThat(made.closed()).isTrue();
    assertThat(context.runningThreads()).hasSize(2);
  }

  /** The read lane refuses, the write lane works, and the ring is kept for the hardware's sake. */
  private void assertBroken() throws InterruptedException {
    int before = completions.all().size();
    Transfer refused = submit(Transfer.Kind.READ, 8 * MB, MB);
    completions.await(before + 1);
    assertThat(completions.errorOf(refused)).isEqualTo(Errors.EIO);
    Transfer write = submit(Transfer.Kind.WRITE, 12 * MB, MB);
    writes.complete(writes.awaitRequest());
    completions.await(before + 2);
    assertThat(completions.errorOf(write)).isZero();
    assertThat(context.log().messages(Level.ERROR)).anyMatch(line -> line.contains("READ"));
    assertThat(reads.closed()).isFalse();
  }

  private Transfer submit(Transfer.Kind kind, long offset, long bytes) {
    Transfer transfer =
        new Transfer(
            kind, offset, bytes == 0 ? List.of() : List.of(new Span((1L << 40) + offset, bytes)));
    device.submit(List.of(transfer));
    return transfer;
  }

  private UringDevice start(UringDevice.RingFactory rings) throws IOException {
    return UringDevice.start(
        file,
        DeviceSettings.defaults(),
        rings,
        new Devices.Environment(
            Devices.NO_PROBE_BLOCK, List.of(), context.threads(), now::get, context.log()),
        completions);
  }
}
