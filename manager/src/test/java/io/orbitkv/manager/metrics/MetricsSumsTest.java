package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.PluginFolders;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is exported adds up, under load where it says so and at rest everywhere. */
final class MetricsSumsTest {
  private static final int ENGINES = 3;
  private static final int ROUNDS = 120;
  private static final int PAGES = 8;

  @TempDir Path home;

  @Test
  void sums_underAMixedLoadAndAtRest_hold() throws Exception {
    try (ManagerUnderTest under = new ManagerUnderTest(home, "--query-budget", "900kb");
        Engine reader = new Engine(under.socket());
        ExecutorService threads = Executors.newFixedThreadPool(ENGINES)) {
      List<Future<Integer>> engines = new ArrayList<>();
      for (int i = 0; i < ENGINES; i++) {
        int seed = i;
        Callable<Integer> load = () -> load(under.socket(), seed);
        engines.add(threads.submit(load));
      }
      while (!engines.stream().allMatch(Future::isDone)) {
        check(text(reader), true);
      }
      int rounds = 0;
      for (Future<Integer> engine : engines) {
        rounds += engine.get();
      }
      assertThat(rounds).isEqualTo(ENGINES * ROUNDS);
      waitForBudget(under.socket());
      under.await(
          "the end of the load",
          now -> now.sessions() == 1 && now.operations() == 0 && now.leases() == 0);

      ExportedText atRest = text(reader);
      // On a fast machine the load is over before the first maintenance.
      while (atRest.total("orbitkv_maintenance_lag_seconds_count") == 0) {
        atRest = text(reader);
      }
      check(atRest, false);
      assertLoadWasMixed(atRest);
      assertTimersSawEverything(atRest);
    }
  }

  @Test
  void sums_withABackingTier_hold() throws Exception {
    PluginFolders.installFaultPoints(Files.createDirectories(home.resolve("plugins")));
    Files.createDirectories(home.resolve("points"));
    Files.writeString(
        home.resolve("orbitkv.yaml"),
        """
        socket: %1$s/run/manager.sock
        backing: {tier: fault-store}
        plugin-settings:
          fault-points:
            fault-store: {directory: %1$s/points}
            fault-copy: {directory: %1$s/points}
        """
            .formatted(home));
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine reader = new Engine(under.socket());
        Engine engine = new Engine(under.socket(), "model")) {
      for (int round = 0; round < ROUNDS; round++) {
        int first = 1000 * (round % 8);
        engine.publish(first, PAGES);
        if (round % 4 == 3) {
          engine.client().send(new ClientMessage.Evict(engine.nextOperation()));
          engine.expect(ServerMessage.Done.class);
        }
        ServerMessage.Answer answer = engine.query(1000 * ((round + 3) % 8), PAGES);
        if (answer.state() == AnswerState.READY) {
          engine.submitRestore(answer.lease(), 32, answer.hits());
          engine.awaitState(AnswerState.RESTORED);
        }
        check(text(reader), true);
      }
      under.await(
          "the end of the writes",
          now ->
              now.writes() == 0
                  && now.reads() == 0
                  && now.queuedWrites() == 0
                  && now.operations() == 0);

      ExportedText atRest = text(reader);
      check(atRest, false);
      for (String part :
          List.of(
              "orbitkv_ssd_write_offered_total",
              "orbitkv_ssd_write_pages_total",
              "orbitkv_ssd_write_bytes_total",
              "orbitkv_ssd_prefetch_pages_total",
              "orbitkv_ssd_prefetch_success_total",
              "orbitkv_ssd_pages",
              "orbitkv_ssd_stored_pages")) {
        assertThat(atRest.total(part)).as(part).isPositive();
      }
    }
  }

  private static void check(ExportedText text, boolean busy) {
    for (MetricSum sum : MetricSum.ALL) {
      if (busy && !sum.always()) {
        continue;
      }
      double parts = sum.parts().stream().mapToDouble(text::total).sum();
      assertThat(parts).as("%s", sum).isEqualTo(text.total(sum.whole()));
    }
    assertThat(text.total("orbitkv_leaked_bytes")).isZero();
  }

  private static void assertLoadWasMixed(ExportedText text) {
    for (String part :
        List.of(
            "orbitkv_queries_total",
            "orbitkv_query_pages_total",
            "orbitkv_restores_total",
            "orbitkv_save_offered_pages_total",
            "orbitkv_pool_used_bytes",
            "orbitkv_sessions_opened_total",
            "orbitkv_query_hits_total",
            "orbitkv_query_partial_hits_total",
            "orbitkv_query_misses_total",
            "orbitkv_queries_cancelled_total",
            "orbitkv_query_cancelled_pages_total",
            "orbitkv_query_budget_waits_total",
            "orbitkv_restores_done_total",
            "orbitkv_restore_misses_total",
            "orbitkv_save_stored_pages_total",
            "orbitkv_save_resident_pages_total",
            "orbitkv_save_discarded_pages_total")) {
      assertThat(text.total(part)).as(part).isPositive();
    }
  }

  private static void assertTimersSawEverything(ExportedText text) {
    assertThat(text.total("orbitkv_untimed_operations_total")).isZero();
    assertThat(text.total("orbitkv_query_lookup_duration_seconds_count"))
        .isEqualTo(
            text.total("orbitkv_query_hits_total")
                + text.total("orbitkv_query_partial_hits_total")
                + text.total("orbitkv_query_misses_total"));
    assertThat(text.total("orbitkv_load_duration_seconds_count"))
        .isEqualTo(text.total("orbitkv_restores_done_total"));
    assertThat(text.total("orbitkv_completion_delivery_ms_count")).isPositive();
    assertThat(text.total("orbitkv_query_wait_duration_seconds_count")).isPositive();
    assertThat(text.total("orbitkv_save_duration_seconds_count")).isPositive();
    assertThat(text.total("orbitkv_copy_duration_seconds_count")).isPositive();
    assertThat(text.total("orbitkv_dispatcher_step_duration_seconds_count")).isPositive();
    assertThat(text.total("orbitkv_maintenance_lag_seconds_count")).isPositive();
    assertThat(text.total("orbitkv_copier_inflight_plans")).isZero();
    assertThat(text.total("orbitkv_host_copy_plans_total"))
        .isEqualTo(text.total("orbitkv_copy_duration_seconds_count"));
  }

  private static ExportedText text(Engine reader) throws IOException {
    reader.client().send(new ClientMessage.Metrics(reader.nextOperation(), false));
    return ExportedText.of(reader.expect(ServerMessage.MetricsReport.class).text());
  }

  private static int load(Path socket, int seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    Engine engine = new Engine(socket, "model-" + seed);
    int rounds = 0;
    try {
      for (int round = 0; round < ROUNDS; round++) {
        round(engine, random, 1000 * random.nextInt(12));
        rounds++;
        if (random.nextInt(20) == 0) {
          // The client goes while something of its own is under way.
          submit(engine, 1000, PAGES);
          engine.close();
          engine = new Engine(socket, "model-" + seed + "-" + round);
        }
      }
    } finally {
      engine.close();
    }
    return rounds;
  }

  private static void round(Engine engine, SplittableRandom random, int first) throws IOException {
    switch (random.nextInt(8)) {
      case 0, 1 -> engine.publish(first, PAGES);
      case 2 -> {
        long publish = engine.submitPublish(first + 500, PAGES);
        engine.awaitState(AnswerState.PUBLISHED);
        engine.client().send(new ClientMessage.Commit(publish, false));
      }
      case 3, 4 -> {
        ServerMessage.Answer answer = engine.query(first, PAGES);
        if (answer.state() == AnswerState.READY) {
          engine.submitRestore(answer.lease(), 32, answer.hits());
          engine.awaitState(AnswerState.RESTORED);
        }
      }
      case 5 -> {
        // The upper half was never published: at most a part is found.
        ServerMessage.Answer answer = engine.query(first, 2 * PAGES);
        if (answer.state() == AnswerState.READY) {
          engine.taken(answer);
          release(engine, answer.lease());
        }
      }
      case 6 -> {
        ServerMessage.Answer answer = engine.query(first, PAGES);
        if (answer.state() == AnswerState.READY) {
          release(engine, answer.lease());
          engine.submitRestore(answer.lease(), 32, answer.hits());
          engine.awaitState(AnswerState.MISS);
        }
      }
      default -> {
        ServerMessage.Answer answer = engine.query(first + 999_000, 2);
        assertThat(answer.state()).isEqualTo(AnswerState.MISS);
      }
    }
  }

  /** Fills the budget, so that a query waits, is answered or is cancelled. */
  private static void waitForBudget(Path socket) throws IOException {
    try (Engine holder = new Engine(socket, "holder");
        Engine waiter = new Engine(socket, "waiter")) {
      holder.publish(900_000, 64);
      waiter.publish(900_000, 64);
      ServerMessage.Answer answer = holder.query(900_000, 64);
      holder.taken(answer);
      long answered = submit(waiter, 900_000, 64);
      assertThat(waiter.expect(ServerMessage.Answer.class).state()).isEqualTo(AnswerState.LOADING);
      long cancelled = submit(waiter, 900_000, 64);
      assertThat(waiter.expect(ServerMessage.Answer.class).state()).isEqualTo(AnswerState.LOADING);
      waiter.client().send(new ClientMessage.Cancel(cancelled, 1));
      release(holder, answer.lease());
      ServerMessage.Answer late = waiter.awaitOperation(answered);
      assertThat(late.state()).isEqualTo(AnswerState.READY);
      release(waiter, late.lease());
    }
  }

  private static void release(Engine engine, LeaseId lease) throws IOException {
    engine.client().send(new ClientMessage.Release(engine.nextOperation(), lease));
  }

  private static long submit(Engine engine, int first, int pages) throws IOException {
    long operation = engine.nextOperation();
    engine
        .client()
        .send(
            new ClientMessage.Submit(
                operation,
                1,
                Event.NO_RECORD,
                engine.instance(),
                QueryKind.DEMAND,
                "waiting-" + operation,
                new int[] {0},
                new int[] {pages},
                Engine.keys(first, pages),
                null));
    return operation;
  }
}
