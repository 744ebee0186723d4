package io.orbitkv.workload.ssd;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Answer;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.Publication;
import io.orbitkv.client.Scheduler;
import io.orbitkv.client.Worker;
import io.orbitkv.wire.SharedMemoryFile;
import io.orbitkv.workload.engine.EngineGeometry;
import io.orbitkv.workload.engine.PagePattern;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/**
 * An engine of one rank in one life of a Manager: publishes chains and restores them, comparing
 * every byte. Each of its lanes may be used by one thread at a time.
 *
 * <p>Close it when the Manager is gone, or when nothing is under way.
 */
final class KillClient implements AutoCloseable {
  private static final String NAME = "orbitkv-kill-loop";
  private static final long NO_EVENT = 0;
  private static final int GROUP = 0;

  private final PublishLog log;
  private final SharedMemoryFile memory;
  private final OrbitKvClient client;
  private final Worker worker;
  private final Scheduler scheduler;
  private final PagePattern pattern;

  final LongAdder publishedPages = new LongAdder();
  final LongAdder restoredPages = new LongAdder();
  final LongAdder wrongBytes = new LongAdder();

  private KillClient(
      PublishLog log,
      SharedMemoryFile memory,
      OrbitKvClient client,
      Worker worker,
      Scheduler scheduler,
      PagePattern pattern) {
    this.log = log;
    this.memory = memory;
    this.client = client;
    this.worker = worker;
    this.scheduler = scheduler;
    this.pattern = pattern;
  }

  /**
   * Registers with the Manager at a socket.
   *
   * @param geometry with as many pages as the lanes need: those of a chain each
   * @param life in which life of the Manager this is
   */
  static KillClient connect(Path socket, EngineGeometry geometry, PublishLog log, int life)
      throws IOException, InterruptedException {
    SharedMemoryFile memory = SharedMemoryFile.create(NAME, geometry.deviceBytes());
    OrbitKvClient client = null;
    boolean made = false;
    try {
      client = OrbitKvClient.connect(socket, ClientOptions.defaults(NAME));
      String instance = NAME + "-" + ProcessHandle.current().pid() + "-" + life;
      Worker worker =
          client.register(
              instance, geometry.namespace(NAME), geometry.workerLayout(), memory.deviceMemory());
      Scheduler scheduler = client.attach(instance);
      PagePattern pattern = new PagePattern(memory.segment(), geometry);
      made = true;
      return new KillClient(log, memory, client, worker, scheduler, pattern);
    } finally {
      if (!made) {
        if (client != null) {
          client.close();
        }
        memory.close();
      }
    }
  }

  /** Whether the connection stands. */
  boolean connected() {
    return client.connected();
  }

  /** The Manager's status. */
  String status() throws InterruptedException {
    return client.status();
  }

  /** Waits until everything that was published is written durably or dropped. */
  void sync(Duration limit) throws InterruptedException {
    long _ = client.syncDurable(limit);
  }

  /** Publishes a new chain and waits for its end. */
  void publish(int lane) throws InterruptedException {
    int chain = log.begin();
    int first = firstPage(lane);
    for (int page = 0; page < log.chainPages(); page++) {
      PageKey key = log.key(chain, page);
      pattern.fill(first + page, key.high(), key.low());
    }
    Publication publication =
        worker.publish(
            GROUP, NO_EVENT, PageKey.NONE, log.keys(chain, 0), pages(first, log.chainPages()));
    publication.commit(true);
    Answer answer = publication.awaitTerminal().orThrow();
    if (answer.state() == AnswerState.PUBLISHED) {
      publishedPages.add(publication.storedPages());
      log.acknowledge(chain);
    }
  }

  /** Restores the pages that are there at the front of a chain. */
  void restoreFront(int lane, int chain) throws InterruptedException {
    int _ = restore(lane, chain, 0);
  }

  /** Restores every page of a chain that is there. Returns how many there are. */
  int restoreAll(int lane, int chain) throws InterruptedException {
    int found = 0;
    for (int page = 0; page < log.chainPages(); ) {
      int hits = restore(lane, chain, page);
      found += hits;
      // The page behind them is missing.
      page += hits + 1;
    }
    return found;
  }

  /** How many of some keys the Manager claims to have, which are all of pages that never were. */
  int strangersFound(long[] keys) throws InterruptedException {
    int found = 0;
    for (int i = 0; i < keys.length; i += 2) {
      Answer answer =
          scheduler.query("stranger", new long[] {keys[i], keys[i + 1]}).awaitTerminal().orThrow();
      if (answer.state() == AnswerState.READY) {
        found += answer.hits();
        client.release(answer.lease());
      }
    }
    return found;
  }

  private int restore(int lane, int chain, int from) throws InterruptedException {
    long[] keys = log.keys(chain, from);
    Answer offer;
    do {
      offer = scheduler.query("chain-" + chain, keys).awaitTerminal().orThrow();
    } while (offer.state() == AnswerState.BUSY);
    int hits = offer.state() == AnswerState.READY ? offer.hits() : 0;
    if (hits == 0) {
      return 0;
    }
    int first = firstPage(lane);
    for (int page = 0; page < hits; page++) {
      pattern.poison(first + page);
    }
    Answer answer =
        worker.restore(offer.lease(), NO_EVENT, pages(first, hits)).awaitTerminal().orThrow();
    if (answer.state() != AnswerState.RESTORED) {
      return hits;
    }
    for (int page = 0; page < hits; page++) {
      PageKey key = log.key(chain, from + page);
      wrongBytes.add(pattern.wrongBytes(first + page, key.high(), key.low()));
    }
    restoredPages.add(hits);
    return hits;
  }

  private int firstPage(int lane) {
    return lane * log.chainPages();
  }

  private static int[] pages(int first, int count) {
    return IntStream.range(first, first + count).toArray();
  }

  @Override
  public void close() {
    client.close();
    memory.close();
  }
}
