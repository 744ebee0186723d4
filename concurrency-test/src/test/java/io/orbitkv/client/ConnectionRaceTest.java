package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.concurrency.Race;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Several threads of one client, its reader thread, and a Manager that answers or hangs up. */
@Timeout(300)
class ConnectionRaceTest {
  private static final int EACH = 12;

  @TempDir private Path folder;

  private OrbitKvClient connect(Path socket) {
    try {
      return OrbitKvClient.connect(socket, ClientOptions.defaults("race 1"));
    } catch (java.io.IOException | InterruptedException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @Test
  void answers_onFewRecordsAndOnTheSocket_reachTheirOwnOperation() throws Exception {
    Path socket = folder.resolve("s");
    try (RacingManager manager = new RacingManager(socket, Integer.MAX_VALUE);
        OrbitKvClient client = connect(socket)) {
      Race.play(() ->
          new Race.Round() {
            @Override
            public List<Race.Actor> actors() {
              // More threads than records: some answers come over the socket.
              return List.of(
                  () -> ask(client, 0),
                  () -> ask(client, 1),
                  () -> ask(client, 2),
                  () -> ask(client, 3),
                  () -> ask(client, 4));
            }

            @Override
            public void check() {
              assertThat(manager.failure()).isNull();
              assertThat(client.connected()).isTrue();
            }
          });
      assertThat(client.statistics().boardAnswers()).isPositive();
      assertThat(client.statistics().socketAnswers()).isPositive();
    }
  }

  private static void ask(OrbitKvClient client, int thread) throws InterruptedException {
    for (int i = 0; i < EACH; i++) {
      QueryHandle query = client.query(1, "request", new long[] {thread, i});
      Answer answer = query.awaitTerminal();
      assertOwn(query, answer);
      if (answer.state() == AnswerState.READY) {
        switch (i % 3) {
          case 0 -> query.taken();
          case 1 -> query.cancel();
          default -> client.release(answer.lease());
        }
      }
    }
  }

  private static void assertOwn(QueryHandle query, Answer answer) {
    assertThat(answer.detail()).isEqualTo(query.id());
    assertThat(answer.hits()).isEqualTo((int) query.id());
    assertThat(answer.lease()).isEqualTo(RacingManager.leaseOf(query.id()));
    assertThat(answer.state())
        .isEqualTo(RacingManager.offers(query.id()) ? AnswerState.READY : AnswerState.MISS);
  }

  @Test
  void endOfTheConnection_whileThreadsWait_isToldToEachOfThem() throws Exception {
    Path socket = folder.resolve("s");
    try (RacingManager manager = new RacingManager(socket, 2 * EACH)) {
      Race.play(() -> {
        OrbitKvClient client = connect(socket);
        return new Race.Round() {
          @Override
          public List<Race.Actor> actors() {
            return List.of(
                () -> askUntilTheEnd(client, 0),
                () -> askUntilTheEnd(client, 1),
                () -> askUntilTheEnd(client, 2),
                () -> askUntilTheEnd(client, 3));
          }

          @Override
          public void check() {
            assertThat(client.connected()).isFalse();
            client.close();
            assertThat(manager.failure()).isNull();
          }
        };
      });
    }
  }

  private static void askUntilTheEnd(OrbitKvClient client, int thread) {
    try {
      while (true) {
        ask(client, thread);
      }
    } catch (ConnectionClosedException ended) {
      assertThat(client.endReason()).isNotEmpty();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Test
  void close_whileThreadsAsk_endsEachOfThem() throws Exception {
    Path socket = folder.resolve("s");
    try (RacingManager manager = new RacingManager(socket, Integer.MAX_VALUE)) {
      Race.play(() -> {
        OrbitKvClient client = connect(socket);
        return new Race.Round() {
          @Override
          public List<Race.Actor> actors() {
            return List.of(
                () -> askUntilTheEnd(client, 0), () -> askUntilTheEnd(client, 1), client::close);
          }

          @Override
          public void check() {
            client.close();
            assertThat(manager.failure()).isNull();
          }
        };
      });
    }
  }

  @Test
  void records_takenAndGivenByManyThreads_belongToOneAtATime() {
    Race.play(() -> {
      BoardRecords records = new BoardRecords(2);
      AtomicIntegerArray holders = new AtomicIntegerArray(2);
      Race.Actor actor =
          () -> {
            for (int i = 0; i < 40; i++) {
              int record = records.take();
              if (record != BoardRecords.NONE) {
                assertThat(holders.incrementAndGet(record)).isEqualTo(1);
                holders.decrementAndGet(record);
                records.give(record);
              }
            }
          };
      return new Race.Round() {
        @Override
        public List<Race.Actor> actors() {
          return List.of(actor, actor, actor);
        }

        @Override
        public void check() {
          assertThat(records.available()).isEqualTo(2);
        }
      };
    });
  }
}
