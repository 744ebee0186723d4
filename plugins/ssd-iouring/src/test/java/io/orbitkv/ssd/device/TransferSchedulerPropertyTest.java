package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.ssd.device.TransferScheduler.Ended;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Random transfers against a device that answers in any order, short, late and with errors. */
class TransferSchedulerPropertyTest {
  private static final int BLOCK = 4096;

  @Property(tries = 150)
  void anyTransfersAndAnswers_eachEndsOnceWithItsBytesMovedOnce(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 16) int requestBlocks,
      @ForAll @IntRange(min = 1, max = 6) int vectors,
      @ForAll @IntRange(min = 0, max = 90) int share,
      @ForAll @IntRange(min = 1, max = 40) int flightBlocks) {
    Random random = new Random(seed);
    SchedulerLimits limits =
        new SchedulerLimits(
            BLOCK,
            (long) requestBlocks * BLOCK,
            vectors,
            5,
            (long) flightBlocks * BLOCK,
            (long) flightBlocks * BLOCK,
            share,
            random.nextInt(3) * 300L,
            (1 + random.nextInt(requestBlocks)) * (long) BLOCK,
            1000,
            1000);
    Device device = new Device(limits, random);
    for (int step = 0; step < 300; step++) {
      device.step(true);
    }
    // Nothing more comes: everything must end, and within bounds.
    for (int step = 0; step < 200_000 && !device.scheduler.idle(); step++) {
      device.step(false);
    }
    assertThat(device.scheduler.idle()).isTrue();
    device.checkEnd();
  }

  @Property(tries = 50)
  void saturatedByReads_writesGetTheirShare(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 90) int share,
      @ForAll @IntRange(min = 1, max = 8) int requestBlocks) {
    Random random = new Random(seed);
    SchedulerLimits limits =
        new SchedulerLimits(
            BLOCK,
            (long) requestBlocks * BLOCK,
            8,
            1000,
            16L * requestBlocks * BLOCK,
            // The model's device treats all alike, so as much must be in flight as is to pass.
            200L * requestBlocks * BLOCK,
            share,
            random.nextInt(3) * 1000L,
            (long) requestBlocks * BLOCK,
            1_000_000,
            Long.MAX_VALUE / 2);
    TransferScheduler scheduler = new TransferScheduler(limits);
    Feeder feeder = new Feeder(random);
    List<Ended> ended = new ArrayList<>();
    List<Request> inFlight = new ArrayList<>();
    Map<Lane, Long> moved = new HashMap<>(Map.of(Lane.READ, 0L, Lane.WRITE, 0L));
    for (int round = 0; round < 6000; round++) {
      // Both queues always hold something.
      while (scheduler.usage("", round).queuedReadBytes() < 400L * requestBlocks * BLOCK) {
        scheduler.add(feeder.next(Transfer.Kind.READ), round);
      }
      while (scheduler.usage("", round).queuedWriteBytes() < 400L * requestBlocks * BLOCK) {
        scheduler.add(feeder.next(Transfer.Kind.WRITE), round);
      }
      for (Lane lane : Lane.values()) {
        Request request = scheduler.next(lane, round);
        while (request != null) {
          inFlight.add(request);
          request = scheduler.next(lane, round);
        }
      }
      Request done = inFlight.remove(random.nextInt(inFlight.size()));
      moved.merge(done.lane(), done.bytes(), Long::sum);
      scheduler.ended(done, done.bytes(), round, ended);
    }
    double total = moved.get(Lane.READ) + moved.get(Lane.WRITE);
    double written = moved.get(Lane.WRITE) / total;
    assertThat(written).isBetween(share / 100.0 - 0.03, share / 100.0 + 0.03);
  }

  /** Makes transfers that never overlap: each has a part of the device to itself. */
  private static final class Feeder {
    private final Random random;
    private long nextOffset;
    private long nextAddress = 1L << 40;

    Feeder(Random random) {
      this.random = random;
    }

    Transfer next(Transfer.Kind kind) {
      if (kind == Transfer.Kind.SYNC) {
        return new Transfer(kind, 0, List.of());
      }
      if (random.nextInt(3) == 0) {
        // A gap: the next one is adjacent to none.
        nextOffset += BLOCK;
      }
      List<Span> spans = new ArrayList<>();
      long bytes = 0;
      int number = 1 + random.nextInt(4);
      for (int i = 0; i < number; i++) {
        if (random.nextBoolean()) {
          nextAddress += BLOCK;
        }
        long length = BLOCK * (1L + random.nextInt(12));
        spans.add(new Span(nextAddress, length));
        nextAddress += length;
        bytes += length;
      }
      Transfer transfer = new Transfer(kind, nextOffset, spans);
      nextOffset += bytes;
      return transfer;
    }
  }

  private static final class Device {
    final TransferScheduler scheduler;
    private final SchedulerLimits limits;
    private final Random random;
    private final Feeder feeder;
    private final Map<Transfer, Integer> submitted = new LinkedHashMap<>();
    private final Map<Transfer, Integer> told = new LinkedHashMap<>();
    private final List<Request> inFlight = new ArrayList<>();
    private final Set<Long> numbers = new HashSet<>();

    /** Device block to the memory it must be moved from or to. */
    private final Map<Long, Long> addressOf = new HashMap<>();

    private final Map<Long, Transfer> transferOf = new HashMap<>();
    private final Set<Long> movedBlocks = new HashSet<>();
    private final Set<Transfer> hurt = new HashSet<>();
    private long nowNanos;

    Device(SchedulerLimits limits, Random random) {
      this.limits = limits;
      this.random = random;
      scheduler = new TransferScheduler(limits);
      feeder = new Feeder(random);
    }

    void step(boolean mayAdd) {
      nowNanos += random.nextInt(400);
      int choice = random.nextInt(10);
      if (mayAdd && choice < 4) {
        add();
      } else if (choice < 7) {
        take();
      } else {
        answer();
      }
      if (!mayAdd && inFlight.isEmpty()) {
        long wait = scheduler.waitNanos(nowNanos);
        nowNanos += wait == Long.MAX_VALUE ? 0 : wait;
      }
    }

    private void add() {
      Transfer.Kind[] kinds = Transfer.Kind.values();
      Transfer transfer = feeder.next(kinds[random.nextInt(kinds.length)]);
      submitted.put(transfer, 0);
      long offset = transfer.offset();
      for (Span span : transfer.spans()) {
        for (long at = 0; at < span.bytes(); at += BLOCK) {
          addressOf.put(offset, span.address() + at);
          transferOf.put(offset, transfer);
          offset += BLOCK;
        }
      }
      scheduler.add(transfer, nowNanos);
      if (random.nextInt(3) == 0) {
        scheduler.raise(transfer);
      }
    }

    private void take() {
      Lane lane = random.nextBoolean() ? Lane.READ : Lane.WRITE;
      boolean ready = scheduler.ready(lane, nowNanos);
      Request request = scheduler.next(lane, nowNanos);
      assertThat(request != null).isEqualTo(ready);
      if (request == null) {
        return;
      }
      assertThat(numbers.add(request.number())).isTrue();
      if (!request.sync()) {
        check(request);
      }
      inFlight.add(request);
      long before = bytesInFlight(lane) - request.bytes();
      long most = lane == Lane.READ ? limits.readBytesInFlight() : limits.writeBytesInFlight();
      // The last one may cross the border; what is repeated was counted already.
      assertThat(before).isLessThanOrEqualTo(most + limits.requestBytes());
    }

    private long bytesInFlight(Lane lane) {
      return inFlight.stream().filter(r -> r.lane() == lane).mapToLong(Request::bytes).sum();
    }

    private void check(Request request) {
      assertThat(request.bytes()).isBetween((long) BLOCK, limits.requestBytes());
      assertThat(request.vectors()).isBetween(1, limits.requestVectors());
      long offset = request.offset();
      for (int i = 0; i < request.vectors(); i++) {
        for (long at = 0; at < request.length(i); at += BLOCK) {
          Transfer transfer = transferOf.get(offset);
          require(addressOf.get(offset) == request.address(i) + at, "the memory is the block's");
          require(!movedBlocks.contains(offset), "the block was not moved before");
          require(!told.containsKey(transfer), "the transfer has not ended");
          require(Lane.of(transfer.kind()) == request.lane(), "the lane is the transfer's");
          offset += BLOCK;
        }
      }
      assertThat(offset).isEqualTo(request.offset() + request.bytes());
      for (Request other : inFlight) {
        boolean apart =
            other.sync()
                || other.offset() + other.bytes() <= request.offset()
                || request.offset() + request.bytes() <= other.offset();
        require(apart, "requests in flight are apart");
      }
    }

    private void answer() {
      if (inFlight.isEmpty()) {
        return;
      }
      Request request = inFlight.remove(random.nextInt(inFlight.size()));
      List<Ended> ended = new ArrayList<>();
      scheduler.ended(request, result(request), nowNanos, ended);
      for (Ended end : ended) {
        assertThat(submitted).containsKey(end.transfer());
        assertThat(told.put(end.transfer(), end.error())).isNull();
      }
    }

    private long result(Request request) {
      int choice = random.nextInt(20);
      if (choice == 0) {
        return -Errors.EINTR;
      }
      if (choice == 1) {
        return -Errors.EAGAIN;
      }
      boolean alone = request.parts().size() == 1;
      if (choice == 2) {
        if (alone || request.sync()) {
          request.parts().forEach(part -> hurt.add(part.transfer().transfer()));
        }
        return -Errors.EIO;
      }
      if (request.sync()) {
        return 0;
      }
      if (choice == 3) {
        request.parts().forEach(part -> hurt.add(part.transfer().transfer()));
        return 0;
      }
      long moved = choice < 8 ? 1 + random.nextLong(request.bytes()) : request.bytes();
      for (long at = 0; at + BLOCK <= moved; at += BLOCK) {
        require(movedBlocks.add(request.offset() + at), "a block is moved once");
      }
      return moved;
    }

    /** Cheaper than an assertion where there are very many. */
    private static void require(boolean holds, String what) {
      if (!holds) {
        throw new AssertionError("it does not hold that " + what);
      }
    }

    void checkEnd() {
      assertThat(told.keySet()).isEqualTo(submitted.keySet());
      told.forEach((transfer, error) -> {
        assertThat(error != 0).isEqualTo(hurt.contains(transfer));
        if (error == 0) {
          for (long at = 0; at < transfer.bytes(); at += BLOCK) {
            require(movedBlocks.contains(transfer.offset() + at), "every block was moved");
          }
        }
      });
      DeviceUsage usage = scheduler.usage("", nowNanos);
      assertThat(usage.queuedReadBytes()).isZero();
      assertThat(usage.queuedWriteBytes()).isZero();
      assertThat(usage.oldestNanos()).isZero();
      assertThat(usage.readBytes() + usage.writtenBytes())
          .isEqualTo((long) movedBlocks.size() * BLOCK);
    }
  }
}
