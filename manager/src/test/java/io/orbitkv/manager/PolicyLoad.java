package io.orbitkv.manager;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;

/**
 * One engine that reports its queue, publishes, evicts, asks and restores, and looks at every byte.
 * Every request must have its answer; what is found must be what was published.
 */
final class PolicyLoad {
  /** A pool that does not hold all chains, so that pages must leave it. */
  static final String POOL = "2mb";

  /** Of a chain. */
  static final int PAGES = 8;

  private static final int CHAINS = 48;
  private static final int DESTINATION = 32;

  private final Path socket;
  private final int seed;
  private long rounds;
  private long hits;

  PolicyLoad(Path socket, int seed) {
    this.socket = socket;
    this.seed = seed;
  }

  long rounds() {
    return rounds;
  }

  /** Pages that were restored, every byte of them right. */
  long hits() {
    return hits;
  }

  /** Works until it is to end. */
  PolicyLoad run(BooleanSupplier more) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    try (Engine engine = new Engine(socket, Features.QUEUE | Features.PREPARE | Features.WARM)) {
      engine.register("model-" + seed);
      engine
          .client()
          .send(new ClientMessage.EngineStats(engine.nextOperation(), engine.instance(), 5_000));
      while (more.getAsBoolean()) {
        round(engine, random);
        rounds++;
      }
    }
    return this;
  }

  private void round(Engine engine, SplittableRandom random) throws IOException {
    int first = 1 + 1000 * random.nextInt(CHAINS);
    switch (random.nextInt(5)) {
      case 0, 1 -> engine.publish(first, PAGES);
      case 2 -> {
        // What is looked ahead for and warmed lies in the backing tier alone.
        engine.client().send(new ClientMessage.Evict(engine.nextOperation()));
        engine.expect(ServerMessage.Done.class);
        String request = accepted(engine, first);
        restore(engine, 1 + 1000 * random.nextInt(CHAINS));
        restore(engine, first);
        report(
            engine,
            new ClientMessage.Queue.Entry(request, ClientMessage.Queue.State.GONE, new long[0]));
      }
      default -> restore(engine, first);
    }
  }

  /** Reports what the engine has accepted, and returns its name: for lookahead and warming. */
  private static String accepted(Engine engine, int first) throws IOException {
    String request = "queued-" + first;
    report(
        engine,
        new ClientMessage.Queue.Entry(
            request, ClientMessage.Queue.State.ACCEPTED, Engine.keys(first, PAGES)));
    return request;
  }

  private static void report(Engine engine, ClientMessage.Queue.Entry entry) throws IOException {
    engine
        .client()
        .send(new ClientMessage.Queue(engine.nextOperation(), engine.instance(), List.of(entry)));
  }

  private void restore(Engine engine, int first) throws IOException {
    ServerMessage.Answer answer = engine.query(first, PAGES);
    if (answer.state() != AnswerState.READY) {
      if (answer.state() != AnswerState.MISS) {
        throw new AssertionError("a query ended as " + answer);
      }
      return;
    }
    LeaseId lease = answer.lease();
    engine.submitRestore(lease, DESTINATION, answer.hits());
    engine.awaitState(AnswerState.RESTORED);
    for (int page = 0; page < answer.hits(); page++) {
      long wrong = engine.wrongWords(DESTINATION + page, first + page);
      if (wrong != 0) {
        throw new AssertionError("[" + wrong + "] wrong words in page " + (first + page));
      }
    }
    hits += answer.hits();
  }
}
