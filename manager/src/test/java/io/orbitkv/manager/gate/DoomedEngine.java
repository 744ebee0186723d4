package io.orbitkv.manager.gate;

import static io.orbitkv.manager.gate.GateEngine.PATIENCE;
import static io.orbitkv.manager.gate.GateEngine.assertAnswer;
import static io.orbitkv.manager.gate.GateEngine.keys;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Answer;
import io.orbitkv.client.Preparation;
import io.orbitkv.client.Publication;
import io.orbitkv.client.QueryHandle;
import java.io.IOException;
import java.nio.file.Path;

/**
 * An engine in a process of its own that goes to a state, says so, and stays until it is killed.
 */
public final class DoomedEngine {
  /** Printed once the Manager has heard of everything that makes the state. */
  static final String THERE = "there";

  /** Name of the instance. */
  static final String NAME = "doomed";

  static final int PAGES = 4;

  private DoomedEngine() {}

  /** How far it goes. */
  enum State {
    IDLE,
    /** Its query waits for bytes that others have. */
    QUERY_WAITING,
    READING,
    PREPARED,
    OFFERED,
    LEASED,
    RESTORE_RUNNING,
    /** It was told that it may wait for the layers. */
    RESTORE_STAGED,
    PUBLISH_RUNNING,
    PUBLISH_UNCOMMITTED
  }

  /** Arguments: the Manager's socket, the state, the first key of pages that are stored. */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    GateEngine engine = new GateEngine(Path.of(arguments[0]), NAME);
    go(engine, State.valueOf(arguments[1]), Integer.parseInt(arguments[2]));
    // Asked on the dispatcher: it has seen all that was sent before.
    engine.client.status();
    System.out.println(THERE);
    System.out.flush();
    // Until the parent kills this process, or is gone.
    while (System.in.read() >= 0) {}
  }

  private static void go(GateEngine engine, State state, int first) throws InterruptedException {
    switch (state) {
      case IDLE -> {}
      case QUERY_WAITING, READING -> engine.query("request", first, PAGES);
      case PREPARED -> {
        Preparation preparation =
            engine.client.prepare(engine.instance(), "ahead", keys(first, PAGES)).orElseThrow();
        Wait.until("the pages", () -> preparation.poll() != AnswerState.LOADING);
      }
      case OFFERED -> engine.hit("request", first, PAGES);
      case LEASED -> engine.hit("request", first, PAGES).taken();
      case RESTORE_RUNNING -> {
        QueryHandle query = engine.hit("request", first, PAGES);
        engine.submitRestore(query, 8);
      }
      case RESTORE_STAGED -> {
        QueryHandle query = engine.hit("request", first, PAGES);
        Answer answer = engine.submitStaged(query, 8).awaitSubmitted(PATIENCE);
        assertAnswer(answer, AnswerState.SUBMITTED, PAGES);
      }
      case PUBLISH_RUNNING -> engine.submitPublish(first + 100, PAGES);
      case PUBLISH_UNCOMMITTED -> {
        Publication publication = engine.submitPublish(first + 100, PAGES);
        assertAnswer(publication.await(PATIENCE), AnswerState.PUBLISHED, PAGES);
      }
    }
  }
}
