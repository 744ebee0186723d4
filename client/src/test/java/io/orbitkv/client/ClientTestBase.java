package io.orbitkv.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A scripted Manager and a client of it. */
@Timeout(120)
abstract class ClientTestBase {
  static final Duration LONG = Duration.ofSeconds(30);

  @TempDir Path folder;
  final ManualClock clock = new ManualClock();
  ScriptedManager manager;
  OrbitKvClient client;
  private final Deque<AutoCloseable> open = new ArrayDeque<>();

  @AfterEach
  void closeAll() throws Exception {
    while (!open.isEmpty()) {
      open.pop().close();
    }
  }

  Path socket() {
    return folder.resolve("manager.sock");
  }

  void listen(ScriptedManager.Greeting greeting) throws IOException {
    manager = new ScriptedManager(socket(), greeting);
    open.push(manager);
  }

  ClientOptions options() {
    return ClientOptions.defaults("test 1").withNanoClock(clock);
  }

  void connect(ScriptedManager.Greeting greeting) throws IOException, InterruptedException {
    connect(greeting, options());
  }

  void connect(ScriptedManager.Greeting greeting, ClientOptions options)
      throws IOException, InterruptedException {
    listen(greeting);
    client = OrbitKvClient.connect(socket(), options);
    open.push(client);
  }

  /** Waits for an answer however it comes; real time limits the wait, not the injected clock. */
  static AnswerState pollUntilDone(Operation operation) {
    long deadline = System.nanoTime() + LONG.toNanos();
    AnswerState state = operation.poll();
    while (!state.terminal()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
      state = operation.poll();
    }
    return state;
  }

  /** Waits for the end of the connection. */
  void awaitEnd() {
    long deadline = System.nanoTime() + LONG.toNanos();
    while (client.connected()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.onSpinWait();
    }
  }

  /** Runs on a thread of its own. */
  static <T> FutureTask<T> inBackground(Callable<T> task) {
    FutureTask<T> future = new FutureTask<>(task);
    Thread.ofPlatform().daemon().start(future);
    return future;
  }

  static <T> T get(FutureTask<T> future) throws Exception {
    return future.get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  static long[] keys(int pages) {
    long[] keys = new long[2 * pages];
    java.util.Arrays.setAll(keys, i -> i + 1L);
    return keys;
  }
}
