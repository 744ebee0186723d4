package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.ssd.device.TransferScheduler.Ended;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TransferSchedulerTest {
  private static final int BLOCK = 4096;
  private static final long KB = 1024;
  private static final long REQUEST = 64 * KB;
  private static final long CALM = 1000;
  private static final long PATIENCE = 5000;
  private static final long YIELD = 3000;

  private final TransferScheduler scheduler =
      new TransferScheduler(
          new SchedulerLimits(
              BLOCK, REQUEST, 8, 64, 256 * KB, 512 * KB, 20, 0, REQUEST, CALM, PATIENCE));
  private final List<Ended> ended = new ArrayList<>();

  @Test
  void next_transferLargerThanARequest_isCutIntoRequestsThatAreInFlightTogether() {
    Transfer read = add(Transfer.Kind.READ, 0, 160 * KB);

    List<Request> requests = takeAll(Lane.READ);

    assertThat(requests).extracting(Request::offset).containsExactly(0L, 64 * KB, 128 * KB);
    assertThat(requests).extracting(Request::bytes).containsExactly(64 * KB, 64 * KB, 32 * KB);
    end(requests.get(2));
    end(requests.get(0));
    assertThat(ended).isEmpty();
    end(requests.get(1));
    assertThat(ended).containsExactly(new Ended(read, 0));
  }

  @Test
  void next_adjacentTransfers_shareARequestUpToItsLimit() {
    List<Transfer> reads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      reads.add(add(Transfer.Kind.READ, (long) i * 16 * KB, 16 * KB));
    }
    List<Request> requests = takeAll(Lane.READ);

    assertThat(requests).extracting(Request::bytes).containsExactly(64 * KB, 32 * KB);
    end(requests.get(0));
    assertThat(ended).extracting(Ended::transfer).containsExactlyElementsOf(reads.subList(0, 4));
  }

  @Test
  void next_adjacentTransfersOfOtherKinds_doNotShare() {
    add(Transfer.Kind.READ, 0, 16 * KB);
    add(Transfer.Kind.SPECULATIVE_READ, 16 * KB, 16 * KB);

    assertThat(take(Lane.READ).bytes()).isEqualTo(16 * KB);
    assertThat(take(Lane.READ).bytes()).isEqualTo(16 * KB);
  }

  @Test
  void next_manyPieces_endsTheRequestAtTheLimitOfPieces() {
    List<Span> spans = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      spans.add(new Span((1L << 30) + 2L * i * BLOCK, BLOCK));
    }
    scheduler.add(new Transfer(Transfer.Kind.READ, 0, spans), 0);

    assertThat(takeAll(Lane.READ)).extracting(Request::vectors).containsExactly(8, 2);
  }

  @Test
  void next_readsInFlightAtTheirLimit_waitsForOneToEnd() {
    add(Transfer.Kind.READ, 0, 1024 * KB);
    List<Request> requests = takeAll(Lane.READ);
    assertThat(requests).hasSize(4);

    end(requests.get(0));
    assertThat(takeAll(Lane.READ)).hasSize(1);
  }

  @Test
  void next_readAndSpeculativeRead_takesTheReadFirst() {
    add(Transfer.Kind.SPECULATIVE_READ, 0, 16 * KB);
    Transfer read = add(Transfer.Kind.READ, 512 * KB, 16 * KB);

    assertThat(take(Lane.READ).offset()).isEqualTo(read.offset());
  }

  @Test
  void next_speculativeReads_leaveHalfOfTheLimitToReads() {
    add(Transfer.Kind.SPECULATIVE_READ, 0, 1024 * KB);
    assertThat(takeAll(Lane.READ)).hasSize(2);

    add(Transfer.Kind.READ, 2048 * KB, 1024 * KB);
    assertThat(takeAll(Lane.READ)).hasSize(2);
  }

  @Test
  void raise_waitingSpeculativeRead_goesBeforeTheOthers() {
    add(Transfer.Kind.SPECULATIVE_READ, 0, 16 * KB);
    Transfer raised = add(Transfer.Kind.SPECULATIVE_READ, 512 * KB, 16 * KB);

    scheduler.raise(raised);

    assertThat(take(Lane.READ).offset()).isEqualTo(raised.offset());
  }

  @Test
  void raise_readThatHasEnded_changesNothing() {
    Transfer read = add(Transfer.Kind.SPECULATIVE_READ, 0, 16 * KB);
    end(take(Lane.READ));
    scheduler.raise(read);
    assertThat(scheduler.next(Lane.READ, 0)).isNull();
    assertThat(scheduler.idle()).isTrue();
  }

  @Test
  void next_noReadSeen_writesUseTheirWholeLimit() {
    add(Transfer.Kind.WRITE, 0, 1024 * KB);
    assertThat(takeAll(Lane.WRITE)).hasSize(8);
  }

  @Test
  void next_readInFlight_writesWaitForCredit() {
    add(Transfer.Kind.READ, 0, 4 * REQUEST);
    add(Transfer.Kind.WRITE, 4096 * KB, 1024 * KB);
    List<Request> reads = takeAll(Lane.READ);

    // Four requests of reads earn one of writes.
    List<Request> writes = takeAll(Lane.WRITE);
    assertThat(writes).hasSize(1);
    end(writes.get(0));
    assertThat(scheduler.next(Lane.WRITE, 0)).isNull();

    reads.forEach(this::end);
    assertThat(takeAll(Lane.WRITE)).hasSize(1);
  }

  @Test
  void next_readEndedJustNow_fewBytesOfWritesAreInFlight() {
    add(Transfer.Kind.READ, 0, REQUEST);
    Request read = take(Lane.READ);
    add(Transfer.Kind.WRITE, 4096 * KB, 1024 * KB);
    scheduler.ended(read, read.bytes(), 10, ended);

    assertThat(takeAll(Lane.WRITE, 10)).hasSize(1);
    assertThat(takeAll(Lane.WRITE, 10 + CALM)).hasSize(7);
  }

  @Test
  void next_readHangs_aWriteGoesWhenPatienceEnds() {
    add(Transfer.Kind.READ, 0, BLOCK);
    Request hanging = take(Lane.READ);
    assertThat(hanging.bytes()).isEqualTo(BLOCK);
    add(Transfer.Kind.WRITE, 4096 * KB, 1024 * KB);

    assertThat(scheduler.next(Lane.WRITE, PATIENCE - 1)).isNull();
    assertThat(scheduler.waitNanos(PATIENCE - 1)).isEqualTo(1);
    assertThat(takeAll(Lane.WRITE, PATIENCE)).hasSize(1);
    assertThat(scheduler.waitNanos(PATIENCE)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void next_writeWithCreditBesideReads_waitsForAMomentWithoutReads() {
    TransferScheduler yielding = yielding(16 * KB);
    yielding.add(transfer(Transfer.Kind.READ, 0, 4 * REQUEST), 0);
    yielding.add(transfer(Transfer.Kind.WRITE, 4096 * KB, 64 * KB), 10);
    List<Request> reads = takeAll(yielding, Lane.READ, 10);

    assertThat(yielding.ready(Lane.WRITE, 10 + YIELD - 1)).isFalse();
    assertThat(yielding.waitNanos(10 + YIELD - 1)).isEqualTo(1);
    reads.forEach(read -> yielding.ended(read, read.bytes(), 20, ended));

    // One small request, since the next read may be near.
    List<Request> writes = takeAll(yielding, Lane.WRITE, 20);
    assertThat(writes).extracting(Request::bytes).containsExactly(16 * KB);
    assertThat(takeAll(yielding, Lane.WRITE, 20 + CALM))
        .extracting(Request::bytes)
        .containsExactly(48 * KB);
  }

  @Test
  void next_readsNeverPause_aWriteTakesItsShareWhenItHasYieldedLongEnough() {
    TransferScheduler yielding = yielding(REQUEST);
    yielding.add(transfer(Transfer.Kind.READ, 0, 8 * REQUEST), 0);
    yielding.add(transfer(Transfer.Kind.WRITE, 4096 * KB, 64 * KB), 0);
    assertThat(takeAll(yielding, Lane.READ, 0)).isNotEmpty();

    assertThat(takeAll(yielding, Lane.WRITE, YIELD - 1)).isEmpty();
    assertThat(takeAll(yielding, Lane.WRITE, YIELD)).hasSize(1);
  }

  @Test
  void next_moreWritesWaitThanMayBeInFlight_theyDoNotYield() {
    TransferScheduler yielding = yielding(REQUEST);
    yielding.add(transfer(Transfer.Kind.READ, 0, 8 * REQUEST), 0);
    yielding.add(transfer(Transfer.Kind.WRITE, 4096 * KB, 512 * KB + BLOCK), 0);
    assertThat(takeAll(yielding, Lane.READ, 0)).isNotEmpty();

    assertThat(takeAll(yielding, Lane.WRITE, 0)).hasSize(1);
  }

  @Test
  void next_syncBesideReads_waitsForAMomentWithoutReadsButNotForEver() {
    TransferScheduler yielding = yielding(REQUEST);
    yielding.add(transfer(Transfer.Kind.READ, 0, BLOCK), 0);
    List<Request> reads = takeAll(yielding, Lane.READ, 0);
    yielding.add(transfer(Transfer.Kind.SYNC, 0, 0), 5);

    assertThat(takeAll(yielding, Lane.WRITE, 5 + YIELD - 1)).isEmpty();
    assertThat(yielding.waitNanos(5 + YIELD - 1)).isEqualTo(1);
    assertThat(yielding.ready(Lane.WRITE, 5 + YIELD)).isTrue();
    reads.forEach(read -> yielding.ended(read, read.bytes(), 6, ended));
    assertThat(takeAll(yielding, Lane.WRITE, 6)).hasSize(1);
  }

  private static TransferScheduler yielding(long besideBytes) {
    return new TransferScheduler(
        new SchedulerLimits(
            BLOCK, REQUEST, 8, 64, 256 * KB, 512 * KB, 20, YIELD, besideBytes, CALM, PATIENCE));
  }

  @Test
  void next_sync_goesAtOnceAndThoseThatWaitShareTheNext() {
    Transfer first = add(Transfer.Kind.SYNC, 0, 0);
    Request running = take(Lane.WRITE);
    assertThat(running.sync()).isTrue();
    Transfer second = add(Transfer.Kind.SYNC, 0, 0);
    Transfer third = add(Transfer.Kind.SYNC, 0, 0);
    assertThat(scheduler.next(Lane.WRITE, 0)).isNull();

    scheduler.ended(running, 0, 0, ended);
    assertThat(ended).extracting(Ended::transfer).containsExactly(first);
    scheduler.ended(take(Lane.WRITE), -Errors.EIO, 0, ended);
    assertThat(ended)
        .containsExactly(
            new Ended(first, 0), new Ended(second, Errors.EIO), new Ended(third, Errors.EIO));
  }

  @Test
  void ended_short_isContinuedAtTheNextBlock() {
    Transfer read = add(Transfer.Kind.READ, 0, 32 * KB);
    scheduler.ended(take(Lane.READ), 3 * BLOCK + 100, 0, ended);

    Request rest = take(Lane.READ);
    assertThat(rest.offset()).isEqualTo(3 * BLOCK);
    assertThat(rest.bytes()).isEqualTo(32 * KB - 3 * BLOCK);
    assertThat(rest.address(0)).isEqualTo(read.spans().getFirst().address() + 3 * BLOCK);
    end(rest);
    assertThat(ended).containsExactly(new Ended(read, 0));
  }

  @Test
  void ended_nothingMoved_isShort() {
    Transfer read = add(Transfer.Kind.READ, 0, 32 * KB);
    scheduler.ended(take(Lane.READ), 0, 0, ended);
    assertThat(ended).containsExactly(new Ended(read, StoreDevice.SHORT));
  }

  @Test
  void ended_interruptedForEver_failsAtLast() {
    Transfer write = add(Transfer.Kind.WRITE, 0, 16 * KB);
    for (int i = 0; i <= TransferScheduler.MOST_FRUITLESS; i++) {
      assertThat(ended).isEmpty();
      scheduler.ended(take(Lane.WRITE), -Errors.EINTR, 0, ended);
    }
    assertThat(ended).containsExactly(new Ended(write, Errors.EINTR));
  }

  @Test
  void ended_sharedRequestFails_costsOnlyTheTransferWithTheBadBlock() {
    Transfer good = add(Transfer.Kind.READ, 0, 16 * KB);
    Transfer bad = add(Transfer.Kind.READ, 16 * KB, 16 * KB);
    scheduler.ended(take(Lane.READ), -Errors.EIO, 0, ended);
    assertThat(ended).isEmpty();

    end(take(Lane.READ));
    scheduler.ended(take(Lane.READ), -Errors.EIO, 0, ended);

    assertThat(ended).containsExactly(new Ended(good, 0), new Ended(bad, Errors.EIO));
  }

  @Test
  void ended_oneOfSeveralRequestsFails_theRestOfTheTransferStaysAway() {
    Transfer read = add(Transfer.Kind.READ, 0, 1024 * KB);
    List<Request> requests = takeAll(Lane.READ);
    scheduler.ended(requests.get(1), -Errors.EIO, 0, ended);

    assertThat(scheduler.next(Lane.READ, 0)).isNull();
    end(requests.get(0));
    end(requests.get(2));
    assertThat(ended).isEmpty();
    end(requests.get(3));
    assertThat(ended).containsExactly(new Ended(read, Errors.EIO));
  }

  @Test
  void ended_moreThanWasAskedFor_isUnknown() {
    Transfer read = add(Transfer.Kind.READ, 0, 16 * KB);
    scheduler.ended(take(Lane.READ), 16 * KB + 1, 0, ended);
    assertThat(ended).containsExactly(new Ended(read, StoreDevice.UNKNOWN));
  }

  @Test
  void ended_twice_isABug() {
    add(Transfer.Kind.READ, 0, 16 * KB);
    Request request = take(Lane.READ);
    end(request);
    assertThatThrownBy(() -> end(request)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void add_twice_isRefused() {
    Transfer read = add(Transfer.Kind.READ, 0, 16 * KB);
    assertThatThrownBy(() -> scheduler.add(read, 0)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void abandon_oneLane_endsItAndLeavesTheOther() {
    Transfer flying = add(Transfer.Kind.READ, 0, 16 * KB);
    assertThat(takeAll(Lane.READ)).hasSize(1);
    Transfer waiting = add(Transfer.Kind.READ, 512 * KB, 16 * KB);
    Transfer write = add(Transfer.Kind.WRITE, 4096 * KB, 16 * KB);

    scheduler.abandon(Lane.READ, ended);

    assertThat(ended)
        .containsExactly(new Ended(flying, StoreDevice.UNKNOWN), new Ended(waiting, Errors.EIO));
    end(take(Lane.WRITE));
    assertThat(ended).last().isEqualTo(new Ended(write, 0));
    assertThat(scheduler.idle()).isTrue();
  }

  @Test
  void usage_whileTransfersWait_tellsBytesAndAge() {
    scheduler.add(transfer(Transfer.Kind.READ, 0, 16 * KB), 100);
    scheduler.add(transfer(Transfer.Kind.WRITE, 512 * KB, 32 * KB), 200);

    DeviceUsage usage = scheduler.usage("threads", 350);

    assertThat(usage).isEqualTo(new DeviceUsage("threads", 16 * KB, 32 * KB, 0, 0, 250));
  }

  private Transfer add(Transfer.Kind kind, long offset, long bytes) {
    Transfer transfer = transfer(kind, offset, bytes);
    scheduler.add(transfer, 0);
    return transfer;
  }

  private static Transfer transfer(Transfer.Kind kind, long offset, long bytes) {
    return new Transfer(
        kind, offset, bytes == 0 ? List.of() : List.of(new Span((1L << 40) + offset * 2, bytes)));
  }

  private Request take(Lane lane) {
    Request request = scheduler.next(lane, 0);
    assertThat(request).isNotNull();
    return request;
  }

  private List<Request> takeAll(Lane lane) {
    return takeAll(lane, 0);
  }

  private List<Request> takeAll(Lane lane, long nowNanos) {
    return takeAll(scheduler, lane, nowNanos);
  }

  private static List<Request> takeAll(TransferScheduler from, Lane lane, long nowNanos) {
    List<Request> all = new ArrayList<>();
    Request request = from.next(lane, nowNanos);
    while (request != null) {
      all.add(request);
      request = from.next(lane, nowNanos);
    }
    return all;
  }

  private void end(Request request) {
    scheduler.ended(request, request.bytes(), 0, ended);
  }
}
