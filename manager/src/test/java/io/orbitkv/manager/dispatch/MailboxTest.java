package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MailboxTest {
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

  private final Parker parker = new Parker();

  @Test
  void messages_comeInOrderUntilItIsFull() {
    Mailbox<Integer> mailbox = new Mailbox<>(4, parker);
    for (int i = 0; i < 4; i++) {
      assertThat(mailbox.offer(i)).isTrue();
    }

    assertThat(mailbox.offer(4)).isFalse();
    assertThat(mailbox.size()).isEqualTo(4);
    assertThat(mailbox.poll()).isZero();
    assertThat(mailbox.offer(5)).isTrue();
    assertThat(List.of(mailbox.poll(), mailbox.poll(), mailbox.poll(), mailbox.poll()))
        .containsExactly(1, 2, 3, 5);
    assertThat(mailbox.poll()).isNull();
    assertThat(mailbox.hasMessage()).isFalse();
  }

  @Test
  void bytes_boundTheMailboxToo() {
    Mailbox<Integer> mailbox = new Mailbox<>(64, 100, Integer::longValue, parker);
    assertThat(mailbox.offer(60)).isTrue();
    assertThat(mailbox.offer(41)).isFalse();
    assertThat(mailbox.offer(40)).isTrue();
    assertThat(mailbox.offer(0)).isTrue();
    assertThat(mailbox.offer(1)).isFalse();
    assertThat(mailbox.poll()).isEqualTo(60);
    assertThat(mailbox.offer(60)).isTrue();
    while (mailbox.poll() != null) {
      assertThat(mailbox.size()).isLessThan(64);
    }
    // More than the limit: alone, so that it gets through at all.
    assertThat(mailbox.offer(500)).isTrue();
    assertThat(mailbox.offer(1)).isFalse();
  }

  @Test
  void placeClaimedBeforeTheEnd_isCountedUntilItIsTaken() {
    Mailbox<Integer> mailbox = new Mailbox<>(4, parker);
    long place = mailbox.claim();
    mailbox.close();
    assertThat(mailbox.claim()).isNegative();
    assertThat(mailbox.poll()).isNull();
    assertThat(mailbox.size()).isEqualTo(1);

    mailbox.fill(place, 7);
    assertThat(mailbox.poll()).isEqualTo(7);
    assertThat(mailbox.size()).isZero();
  }

  @Test
  void manyProducers_loseAndDoubleNothing() throws InterruptedException {
    int producers = 4;
    int each = 20_000;
    Mailbox<Long> mailbox = new Mailbox<>(64, parker);
    List<Thread> threads = new ArrayList<>();
    for (int p = 0; p < producers; p++) {
      long base = (long) p << 32;
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                for (int i = 0; i < each; i++) {
                  mailbox.put(base + i);
                }
              }));
    }

    long[] next = new long[producers];
    for (int taken = 0; taken < producers * each; ) {
      Long message = mailbox.poll();
      if (message == null) {
        parker.await(mailbox::hasMessage, LONG_NANOS);
        continue;
      }
      int producer = (int) (message >> 32);
      assertThat(message & 0xffff_ffffL).isEqualTo(next[producer]++);
      taken++;
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(mailbox.poll()).isNull();
  }

  @Test
  void close_letsWaitingProducersGo() throws InterruptedException {
    Mailbox<Integer> mailbox = new Mailbox<>(2, parker);
    mailbox.put(1);
    mailbox.put(2);
    AtomicBoolean put = new AtomicBoolean(true);
    CountDownLatch started = new CountDownLatch(1);
    Thread producer =
        Thread.ofPlatform()
            .start(() -> {
              started.countDown();
              put.set(mailbox.put(3));
            });
    started.await();
    mailbox.close();
    producer.join();

    assertThat(put).isFalse();
    assertThat(mailbox.poll()).isEqualTo(1);
    assertThat(mailbox.offer(4)).isFalse();
  }

  @Test
  void signal_wakesAConsumerThatWaits() throws InterruptedException {
    AtomicBoolean ready = new AtomicBoolean();
    Thread consumer =
        Thread.ofPlatform()
            .start(() -> {
              while (!ready.get()) {
                parker.await(ready::get, LONG_NANOS);
              }
            });
    while (consumer.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }
    ready.set(true);
    parker.signal();

    assertThat(consumer.join(Duration.ofSeconds(20))).isTrue();
  }
}
