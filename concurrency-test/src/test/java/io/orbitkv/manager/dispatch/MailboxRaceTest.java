package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.concurrency.Race;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Producers, the consumer and whoever closes, at once. */
@Timeout(300)
class MailboxRaceTest {
  // Longer than a race waits for an actor: a wake-up that is lost is not made up for.
  private static final long FOR_EVER_NANOS = Duration.ofHours(1).toNanos();

  private static final int EACH = 8;

  /** A message: who sent it, and which of his it is. */
  private record Letter(int producer, int number, int bytes) {}

  @Test
  void put_untilTheConsumerTookEverything_keepsTheOrderOfEachProducer() {
    Race.play(() -> new Delivery(2, Long.MAX_VALUE, false));
  }

  @Test
  void put_withMoreBytesThanFit_waitsAndAccountsForEachByte() {
    Race.play(() -> new Delivery(16, 100, false));
  }

  @Test
  void close_whileProducersWait_letsThemGoAndKeepsWhatIsInside() {
    Race.play(() -> new Delivery(2, Long.MAX_VALUE, true));
  }

  @Test
  void close_whileProducersWaitForBytes_givesBackWhatTheyReserved() {
    Race.play(() -> new Delivery(4, 100, true));
  }

  /** Three producers of messages; the consumer parks when there is none. */
  private static final class Delivery implements Race.Round {
    private static final int PRODUCERS = 3;

    private final Parker parker = new Parker();
    private final Mailbox<Letter> mailbox;
    private final boolean closes;
    private final List<List<Integer>> accepted = new ArrayList<>();
    private final List<List<Integer>> taken = new ArrayList<>();
    private volatile int producersDone;

    Delivery(int capacity, long maxBytes, boolean closes) {
      this.closes = closes;
      this.mailbox = new Mailbox<>(capacity, maxBytes, Letter::bytes, parker);
      for (int i = 0; i < PRODUCERS; i++) {
        accepted.add(new ArrayList<>());
        taken.add(new ArrayList<>());
      }
    }

    @Override
    public List<Race.Actor> actors() {
      return List.of(
          () -> produce(0), () -> produce(1), () -> produce(2), this::consume, this::end);
    }

    private void produce(int producer) {
      for (int number = 0; number < EACH; number++) {
        // One in a while is larger than the limit, and goes in alone.
        int bytes = number == EACH / 2 ? 150 : 20 * (number % 3);
        if (mailbox.put(new Letter(producer, number, bytes))) {
          accepted.get(producer).add(number);
        } else {
          assertThat(closes).as("refused although nobody closed").isTrue();
        }
      }
      synchronized (this) {
        producersDone++;
      }
    }

    private void consume() {
      while (true) {
        Letter letter = mailbox.poll();
        if (letter != null) {
          taken.get(letter.producer()).add(letter.number());
          if (ended()) {
            return;
          }
          continue;
        }
        if (ended()) {
          return;
        }
        parker.await(() -> mailbox.hasMessage() || mailbox.closed(), FOR_EVER_NANOS);
      }
    }

    private boolean ended() {
      return mailbox.closed() && mailbox.size() == 0;
    }

    private void end() {
      while (!closes && producersDone < PRODUCERS) {
        Thread.onSpinWait();
      }
      mailbox.close();
    }

    @Override
    public void check() {
      assertThat(taken).isEqualTo(accepted);
      assertThat(mailbox.bytes()).as("bytes of an empty mailbox").isZero();
      assertThat(mailbox.offer(new Letter(0, 0, 0))).isFalse();
    }
  }

  @Test
  void await_whileAProducerSignals_losesNoWakeUp() {
    Race.play(() -> new PingPong());
  }

  /** Two threads that wait for each other in turn. */
  private static final class PingPong implements Race.Round {
    private static final int TURNS = 50;

    private final Parker one = new Parker();
    private final Parker two = new Parker();
    private volatile int ping;
    private volatile int pong;

    @Override
    public List<Race.Actor> actors() {
      return List.of(
          () -> {
            for (int turn = 1; turn <= TURNS; turn++) {
              ping = turn;
              two.signal();
              while (pong < turn) {
                int now = turn;
                one.await(() -> pong >= now, FOR_EVER_NANOS);
              }
            }
          },
          () -> {
            for (int turn = 1; turn <= TURNS; turn++) {
              while (ping < turn) {
                int now = turn;
                two.await(() -> ping >= now, FOR_EVER_NANOS);
              }
              // Longer than the longest spin, now and then, so that the other one parks.
              for (int spins = turn % 5 == 0 ? 2000 : 0; spins > 0; spins--) {
                Thread.onSpinWait();
              }
              pong = turn;
              one.signal();
            }
          });
    }

    @Override
    public void check() {
      assertThat(ping).isEqualTo(TURNS);
      assertThat(pong).isEqualTo(TURNS);
    }
  }
}
