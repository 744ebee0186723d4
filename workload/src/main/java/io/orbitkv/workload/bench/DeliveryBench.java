package io.orbitkv.workload.bench;

import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Answer;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.Publication;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.client.Scheduler;
import io.orbitkv.client.Worker;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.SharedMemoryFile;
import io.orbitkv.workload.engine.EngineGeometry;
import io.orbitkv.workload.report.LatencyRecorder;
import io.orbitkv.workload.report.Percentiles;
import io.orbitkv.workload.trace.PageKeys;
import io.orbitkv.workload.trace.TraceRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * One run of many queries at a time against a Manager: how long an offer lies on the status board
 * before its acknowledgement is back. The Manager measures that itself, from the write of the offer
 * to the arrival of its acknowledgement, with one clock; the client only makes the load. It does
 * what an engine's scheduler does: it looks at each of its waiting queries in turn, acknowledges
 * what was answered, and asks the next question in its place.
 */
public final class DeliveryBench {
  /** The Manager's own figure. */
  static final String METRIC = "orbitkv_completion_delivery_ms";

  private static final int PAGE_TOKENS = 64;
  private static final int BYTES_PER_TOKEN = 64;
  private static final int LAYERS = 4;
  private static final long NO_EVENT = 0;
  private static final double MILLI = 1e6;
  private static final String NAME = "bench-delivery";
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(30);

  // As a waiter of the client sleeps between two looks.
  private static final long PAUSE_NANOS = 50_000;
  private static final int MAX_CONCURRENT = 128;

  private final Path socket;
  private final int concurrent;
  private final int pages;
  private final int queries;

  /**
   * A run that has not begun.
   *
   * @param socket of a Manager that nobody else has used: its figure counts from its start
   * @param concurrent queries at a time
   * @param pages pages of each query
   * @param queries in all
   */
  public DeliveryBench(Path socket, int concurrent, int pages, int queries) {
    requireValid(concurrent, pages, queries);
    this.socket = socket;
    this.concurrent = concurrent;
    this.pages = pages;
    this.queries = queries;
  }

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException naming the one that does not fit
   */
  public static void requireValid(int concurrent, int pages, int queries) {
    if (concurrent < 1 || concurrent > MAX_CONCURRENT) {
      throw new IllegalArgumentException(
          "queries at a time [" + concurrent + "] must be 1 to " + MAX_CONCURRENT);
    }
    if (pages < 1 || pages > Protocol.DEFAULT_MAX_PAGES) {
      throw new IllegalArgumentException(
          "pages [" + pages + "] must be 1 to " + Protocol.DEFAULT_MAX_PAGES);
    }
    if (queries < concurrent) {
      throw new IllegalArgumentException(
          "queries [" + queries + "] must be at least those at a time [" + concurrent + "]");
    }
  }

  /**
   * Pool that the Manager needs: none of the queries may wait for bytes, since that would be no
   * part of the delivery. Each is charged for its pages, though they are the same.
   */
  public static long poolBytes(int concurrent, int pages) {
    return Math.max(64L << 20, 2L * concurrent * pages * PAGE_TOKENS * BYTES_PER_TOKEN);
  }

  /** Runs it. */
  public DeliveryRun run() throws IOException, InterruptedException {
    EngineGeometry geometry = new EngineGeometry(PAGE_TOKENS, BYTES_PER_TOKEN, LAYERS, pages);
    long[] keys = keys();
    ClientOptions options = ClientOptions.defaults(NAME);
    try (OrbitKvClient client = OrbitKvClient.connect(socket, options);
        SharedMemoryFile memory = SharedMemoryFile.create(NAME, geometry.deviceBytes())) {
      Worker worker =
          client.register(
              NAME, geometry.namespace(NAME), geometry.workerLayout(), memory.deviceMemory());
      publish(worker, keys);
      client.sync(SYNC_LIMIT);
      LatencyRecorder answers = new LatencyRecorder();
      long began = System.nanoTime();
      load(client, client.attach(NAME), keys, answers);
      long nanos = System.nanoTime() - began;
      client.sync(SYNC_LIMIT);
      Percentiles delivery = delivery(client.metrics(true));
      if (delivery.samples() != queries) {
        throw new IllegalStateException(
            "the Manager saw ["
                + delivery.samples()
                + "] acknowledgements of ["
                + queries
                + "] queries");
      }
      worker.unregister();
      return new DeliveryRun(
          delivery, answers.percentiles(MILLI), queries / (nanos / 1e9), client.boardInUse());
    }
  }

  private long[] keys() {
    int tokens = pages * PAGE_TOKENS;
    long[] blocks = LongStream.range(0, Math.ceilDiv(tokens, TraceRequest.BLOCK_TOKENS)).toArray();
    return PageKeys.of(new TraceRequest(0, 0, tokens, 0, blocks), PAGE_TOKENS);
  }

  private void publish(Worker worker, long[] keys) throws InterruptedException {
    int[] devicePages = new int[pages];
    for (int page = 0; page < pages; page++) {
      devicePages[page] = page;
    }
    Publication publication = worker.publish(0, NO_EVENT, PageKey.NONE, keys, devicePages);
    publication.commit(true);
    publication.awaitTerminal().orThrow();
    if (publication.storedPages() != pages) {
      throw new IllegalStateException(
          "only ["
              + publication.storedPages()
              + "] of "
              + pages
              + " pages were published: give the Manager a pool of at least "
              + poolBytes(concurrent, pages)
              + " bytes");
    }
  }

  private void load(OrbitKvClient client, Scheduler scheduler, long[] keys, LatencyRecorder answers)
      throws InterruptedException {
    @Nullable QueryHandle[] waiting = new QueryHandle[concurrent];
    long[] asked = new long[concurrent];
    int submitted = 0;
    int done = 0;
    while (done < queries) {
      boolean progress = false;
      for (int i = 0; i < concurrent; i++) {
        QueryHandle query = waiting[i];
        if (query != null && query.poll().terminal()) {
          query.taken();
          answers.record(System.nanoTime() - asked[i]);
          client.release(requireHit(query.answer()).lease());
          waiting[i] = null;
          done++;
          progress = true;
        }
        if (waiting[i] == null && submitted < queries) {
          asked[i] = System.nanoTime();
          waiting[i] = scheduler.query(NAME, keys);
          submitted++;
          progress = true;
        }
      }
      if (Thread.interrupted()) {
        throw new InterruptedException("stopped");
      }
      if (!progress) {
        LockSupport.parkNanos(PAUSE_NANOS);
      }
    }
  }

  private Answer requireHit(Answer answer) {
    if (answer.orThrow().state() != AnswerState.READY || answer.hits() != pages) {
      throw new IllegalStateException(
          "a query of pages in memory was answered "
              + answer.state()
              + " with ["
              + answer.hits()
              + "] pages");
    }
    return answer;
  }

  /** Reads the Manager's figure out of its metrics. */
  static Percentiles delivery(String metrics) {
    for (JsonNode metric : JsonMapper.shared().readTree(metrics).path("metrics")) {
      if (metric.path("name").asString("").equals(METRIC)) {
        JsonNode sample = metric.path("samples").path(0);
        return new Percentiles(
            sample.path("p50").asDouble(),
            sample.path("p95").asDouble(),
            sample.path("p99").asDouble(),
            sample.path("count").asLong());
      }
    }
    throw new IllegalStateException("the Manager has no metric [" + METRIC + "]");
  }
}
