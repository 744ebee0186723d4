package io.orbitkv.workload.engine;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Answer;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.Publication;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.client.Restoration;
import io.orbitkv.client.Scheduler;
import io.orbitkv.client.Worker;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.SharedMemoryFile;
import io.orbitkv.workload.report.ServedRequest;
import io.orbitkv.workload.trace.EnginePace;
import io.orbitkv.workload.trace.PageKeys;
import io.orbitkv.workload.trace.TraceRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Plays an engine of one rank. For each request it takes device pages for the whole prompt; what
 * its own device cache lacks it asks the Manager for, restores what is leased, computes the rest
 * (writes the bytes that the key demands) and publishes it. Every restored page is compared byte by
 * byte.
 *
 * <p>As in an engine, a device page is used again only after the terminal answer of each copy that
 * touches it: when a connection ends without one, the pages stay taken. Outputs are not played: in
 * a conversation they come back as a part of the next prompt.
 *
 * <p>{@link #serve} may be called by as many threads as requests shall run at one time.
 */
public final class EngineModel implements AutoCloseable {
  private static final long NO_EVENT = 0;
  private static final int GROUP = 0;

  private final EngineGeometry geometry;
  private final EngineCounters counters;
  private final SharedMemoryFile memory;
  private final PagePattern pattern;
  private final DevicePool pool;
  private final Worker worker;
  private final Scheduler scheduler;
  private final int maxPages;
  private final Consumer<ServedRequest> served;
  private final EnginePace pace;
  private final Steps steps;
  private final ReentrantLock turn = new ReentrantLock(true);

  private EngineModel(
      EngineGeometry geometry,
      EngineCounters counters,
      SharedMemoryFile memory,
      Worker worker,
      Scheduler scheduler,
      int maxPages,
      Consumer<ServedRequest> served,
      EnginePace pace,
      Steps steps) {
    this.geometry = geometry;
    this.counters = counters;
    this.memory = memory;
    this.pattern = new PagePattern(memory.segment(), geometry);
    this.pool = new DevicePool(geometry.pages());
    this.worker = worker;
    this.scheduler = scheduler;
    this.maxPages = maxPages;
    this.served = served;
    this.pace = pace;
    this.steps = steps;
  }

  /**
   * Makes the device memory and registers it.
   *
   * @param client stays the caller's, and must be closed before this
   * @param instance name of the engine instance, not in use
   * @param traceIdentity see {@link EngineGeometry#namespace}
   * @param served told of each request once its prompt is there; called by the threads that serve
   * @param pace how fast it computes
   * @param steps between the steps of requests; they say too whether the device keeps anything from
   *     one request to the next
   */
  public static EngineModel register(
      OrbitKvClient client,
      String instance,
      String traceIdentity,
      EngineGeometry geometry,
      EngineCounters counters,
      Consumer<ServedRequest> served,
      EnginePace pace,
      Steps steps)
      throws IOException, InterruptedException {
    SharedMemoryFile memory = SharedMemoryFile.create("orbitkv-engine", geometry.deviceBytes());
    try {
      Worker worker =
          client.register(
              instance,
              geometry.namespace(traceIdentity),
              geometry.workerLayout(),
              memory.deviceMemory());
      Scheduler scheduler = client.attach(instance);
      if (pace.prefillTokensPerSecond() >= 1) {
        scheduler.engineStats((long) pace.prefillTokensPerSecond());
      }
      return new EngineModel(
          geometry,
          counters,
          memory,
          worker,
          scheduler,
          client.welcome().maxQueryPages(),
          served,
          pace,
          steps);
    } catch (InterruptedException | RuntimeException | Error failure) {
      memory.close();
      throw failure;
    }
  }

  /**
   * Serves one request to its end. Blocks while the device has no room.
   *
   * @throws InterruptedException when interrupted; pages of unanswered copies stay taken
   */
  public void serve(TraceRequest request) throws InterruptedException {
    long[] keys = PageKeys.of(request, geometry.pageTokens());
    int count = keys.length / PageKeys.LONGS;
    if (count > pool.pages()) {
      counters.rejected.increment();
      return;
    }
    long begun = System.nanoTime();
    DevicePool.Pages pages = pool.acquire(keys);
    String name = "request-" + request.index();
    schedule(name, pages);
    long queried = System.nanoTime();
    int there = pages.hits();
    if (there < count) {
      there += restore(name, pages, there);
    }
    long restored = System.nanoTime();
    compute(pace.prefillNanos(request.inputTokens() - (long) there * geometry.pageTokens()));
    long computed = System.nanoTime();
    served.accept(
        new ServedRequest(
            request.index(),
            request.inputTokens(),
            count,
            pages.hits(),
            there - pages.hits(),
            queried - begun,
            pages.hits() < count ? restored - queried : 0,
            pace.prefillTokensPerSecond() > 0 ? computed - restored : ServedRequest.NOT_COMPUTED));
    steps.between();
    for (int i = there; i < count; i++) {
      pattern.fill(pages.page(i), keys[i * PageKeys.LONGS], keys[i * PageKeys.LONGS + 1]);
    }
    for (int from = there; from < count; from += maxPages) {
      publish(pages, from, Math.min(from + maxPages, count));
      steps.between();
    }
    pause(pace.outputNanos(request.outputTokens()));
    // Reached only when every copy has answered: an exception above leaves the pages taken.
    pages.giveBack(steps.deviceKeeps());
    counters.pages.add(count);
    counters.deviceHits.add(pages.hits());
    counters.restored.add(there - pages.hits());
    counters.computed.add(count - there);
    counters.requests.increment();
  }

  /** Waits for the turn to be scheduled; meanwhile the Manager may prepare what is missing. */
  private void schedule(String name, DevicePool.Pages pages) throws InterruptedException {
    if (!pace.any()) {
      return;
    }
    int from = pages.hits();
    int to = Math.min(pages.count(), from + maxPages);
    boolean reported = pace.reportsQueue() && from < to;
    if (reported) {
      long[] keys = Arrays.copyOfRange(pages.keys(), from * PageKeys.LONGS, to * PageKeys.LONGS);
      scheduler.queue(
          List.of(new ClientMessage.Queue.Entry(name, ClientMessage.Queue.State.ACCEPTED, keys)));
    }
    turn.lockInterruptibly();
    turn.unlock();
    if (reported) {
      scheduler.queue(
          List.of(
              new ClientMessage.Queue.Entry(
                  name, ClientMessage.Queue.State.EXECUTING, new long[0])));
    }
  }

  /** Computes a prompt while nobody else does. */
  private void compute(long nanos) throws InterruptedException {
    if (nanos == 0) {
      return;
    }
    turn.lockInterruptibly();
    try {
      pause(nanos);
    } finally {
      turn.unlock();
    }
  }

  private static void pause(long nanos) throws InterruptedException {
    if (nanos > 0) {
      Thread.sleep(Duration.ofNanos(nanos));
    }
  }

  /**
   * Compares every page that the device cache still holds. No request may be under way. Returns how
   * many.
   */
  public long verifyDeviceCache() {
    long[] verified = new long[1];
    pool.forEachCached((page, key) -> {
      verified[0]++;
      counters.wrongBytes.add(pattern.wrongBytes(page, key.high(), key.low()));
    });
    return verified[0];
  }

  /** Leaves the Manager. No request may be under way. */
  public void unregister() throws InterruptedException {
    worker.unregister();
  }

  /**
   * Unmaps the device memory. The Manager has mappings of its own and keeps them until its copies
   * are done.
   */
  @Override
  public void close() {
    memory.close();
  }

  /**
   * Queries pages {@code from} on and restores what is leased. Returns the number of pages that
   * hold their bytes now.
   */
  private int restore(String requestId, DevicePool.Pages pages, int from)
      throws InterruptedException {
    int to = Math.min(pages.count(), from + maxPages);
    long[] keys = Arrays.copyOfRange(pages.keys(), from * PageKeys.LONGS, to * PageKeys.LONGS);
    long queried = System.nanoTime();
    QueryHandle query = scheduler.query(requestId, keys);
    Answer offer = query.awaitTerminal().orThrow();
    counters.query.record(System.nanoTime() - queried);
    if (offer.state() == AnswerState.BUSY) {
      counters.busy.increment();
    }
    if (offer.state() != AnswerState.READY || offer.hits() == 0) {
      return 0;
    }
    int hits = offer.hits();
    for (int i = from; i < from + hits; i++) {
      pattern.poison(pages.page(i));
    }
    long submitted = System.nanoTime();
    Restoration restoration =
        worker.restore(offer.lease(), NO_EVENT, pages.range(from, from + hits));
    Answer answer = restoration.awaitTerminal().orThrow();
    counters.restore.record(System.nanoTime() - submitted);
    if (answer.state() != AnswerState.RESTORED) {
      (answer.state() == AnswerState.MISS ? counters.restoreMisses : counters.copyFailures)
          .increment();
      return 0;
    }
    for (int i = from; i < from + hits; i++) {
      PageKey key = PageKeys.at(pages.keys(), i);
      long wrong = pattern.wrongBytes(pages.page(i), key.high(), key.low());
      counters.wrongBytes.add(wrong);
      counters.verified.increment();
    }
    return hits;
  }

  private void publish(DevicePool.Pages pages, int from, int to) throws InterruptedException {
    PageKey parent = from == 0 ? PageKey.NONE : PageKeys.at(pages.keys(), from - 1);
    long[] keys = Arrays.copyOfRange(pages.keys(), from * PageKeys.LONGS, to * PageKeys.LONGS);
    long submitted = System.nanoTime();
    Publication publication = worker.publish(GROUP, NO_EVENT, parent, keys, pages.range(from, to));
    // The bytes were written by this thread before: the producer is done as soon as the copy is
    // ordered.
    publication.commit(true);
    Answer answer = publication.awaitTerminal().orThrow();
    counters.publish.record(System.nanoTime() - submitted);
    if (answer.state() != AnswerState.PUBLISHED) {
      (answer.state() == AnswerState.BUSY ? counters.busy : counters.copyFailures).increment();
      return;
    }
    counters.published.add(publication.storedPages());
    counters.resident.add(publication.residentPages());
    counters.dropped.add(publication.droppedPages());
  }
}
