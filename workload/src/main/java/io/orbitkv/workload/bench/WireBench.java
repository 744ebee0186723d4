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
import io.orbitkv.wire.BoardSnapshot;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.ServerMessage.BoardLocation;
import io.orbitkv.wire.SharedMemoryFile;
import io.orbitkv.wire.StatusBoardReader;
import io.orbitkv.workload.engine.EngineGeometry;
import io.orbitkv.workload.engine.PagePattern;
import io.orbitkv.workload.report.LatencyRecorder;
import io.orbitkv.workload.report.Percentiles;
import io.orbitkv.workload.trace.PageKeys;
import io.orbitkv.workload.trace.TraceRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.LongStream;

/**
 * Measures what an answer costs: a query of pages that are in memory, answered on the status board
 * and over the socket, beside an echo of equal size over the same socket in the same run. The kinds
 * alternate round by round, and their order is turned round after each block, so that none gains
 * from what ran before it.
 *
 * <p>Only the round trip is timed. The lease of an answer is given back afterwards, and a control
 * request that the dispatcher answers makes sure that the Manager is idle before the next round.
 */
public final class WireBench {
  /** Bytes of an answer's record on the status board. */
  static final int RECORD_BYTES = 64;

  private static final int PAGE_TOKENS = 64;
  private static final int BYTES_PER_TOKEN = 64;
  private static final int LAYERS = 4;
  private static final int BLOCK_ROUNDS = 50;
  private static final int POLL_BATCH = 1_000;
  private static final int POLL_BATCHES = 200;
  private static final double MICRO = 1e3;
  private static final long NO_EVENT = 0;
  private static final String REQUEST = "bench";
  private static final Duration SYNC_LIMIT = Duration.ofSeconds(30);

  /** Fixed part, one group and its page count, beside header, keys and request id. */
  private static final int SUBMIT_FIXED_BYTES = 6 * Integer.BYTES + 2 * Integer.BYTES;

  /** Fixed part of an echo's request, beside header and payload. */
  private static final int ECHO_FIXED_BYTES = 2 * Integer.BYTES;

  private final Path socket;
  private final int pages;
  private final int warmup;
  private final int rounds;

  private final LatencyRecorder board = new LatencyRecorder();
  private final LatencyRecorder plain = new LatencyRecorder();
  private final LatencyRecorder echo = new LatencyRecorder();

  /**
   * A benchmark that has not begun.
   *
   * @param socket of a Manager that nobody else uses
   * @param pages pages in each query
   * @param warmup rounds that are thrown away
   * @param rounds rounds that count
   */
  public WireBench(Path socket, int pages, int warmup, int rounds) {
    requireValid(pages, warmup, rounds);
    this.socket = socket;
    this.pages = pages;
    this.warmup = warmup;
    this.rounds = rounds;
  }

  /**
   * Checks the numbers.
   *
   * @throws IllegalArgumentException naming the one that does not fit
   */
  public static void requireValid(int pages, int warmup, int rounds) {
    if (pages < 1 || pages > Protocol.DEFAULT_MAX_PAGES) {
      throw new IllegalArgumentException(
          "pages [" + pages + "] must be 1 to " + Protocol.DEFAULT_MAX_PAGES);
    }
    if (warmup < 0 || rounds < 1) {
      throw new IllegalArgumentException(
          "warm-up ["
              + warmup
              + "] must not be negative and rounds ["
              + rounds
              + "] must be positive");
    }
  }

  /** Pool that the Manager needs. */
  public static long poolBytes(int pages) {
    return Math.max(64L << 20, 4L * pages * PAGE_TOKENS * BYTES_PER_TOKEN);
  }

  /** Runs it. */
  public WireBenchResult run() throws IOException, InterruptedException {
    EngineGeometry geometry = new EngineGeometry(PAGE_TOKENS, BYTES_PER_TOKEN, LAYERS, pages);
    long[] keys = keys();
    ClientOptions options = ClientOptions.defaults("orbitkv-bench");
    try (OrbitKvClient client = OrbitKvClient.connect(socket, options);
        OrbitKvClient boardless = OrbitKvClient.connect(socket, options.withFeatures(0));
        SharedMemoryFile memory =
            SharedMemoryFile.create("orbitkv-bench", geometry.deviceBytes())) {
      Worker worker =
          client.register(
              REQUEST, geometry.namespace(REQUEST), geometry.workerLayout(), memory.deviceMemory());
      publish(worker, new PagePattern(memory.segment(), geometry), keys);
      client.sync(SYNC_LIMIT);
      Scheduler boardScheduler = client.attach(REQUEST);
      Scheduler plainScheduler = boardless.attach(REQUEST);
      int requestBytes =
          Protocol.HEADER_BYTES
              + SUBMIT_FIXED_BYTES
              + keys.length * Long.BYTES
              + REQUEST.getBytes(StandardCharsets.UTF_8).length;
      byte[] payload = new byte[requestBytes - Protocol.HEADER_BYTES - ECHO_FIXED_BYTES];
      for (int round = -warmup; round < rounds; round++) {
        boolean measured = round >= 0;
        boolean turned = Math.floorDiv(round, BLOCK_ROUNDS) % 2 != 0;
        if (turned) {
          query(plainScheduler, boardless, keys, plain, measured);
          query(boardScheduler, client, keys, board, measured);
          echo(client, payload, measured);
        } else {
          echo(client, payload, measured);
          query(boardScheduler, client, keys, board, measured);
          query(plainScheduler, boardless, keys, plain, measured);
        }
      }
      BoardLocation location = client.welcome().board();
      boolean inUse = client.boardInUse() && location != null;
      Percentiles poll =
          inUse && location != null
              ? poll(client, boardScheduler, location, keys)
              : Percentiles.NONE;
      worker.unregister();
      return new WireBenchResult(
          pages,
          rounds,
          requestBytes,
          RECORD_BYTES,
          inUse ? board.percentiles(MICRO) : Percentiles.NONE,
          plain.percentiles(MICRO),
          echo.percentiles(MICRO),
          poll,
          inUse);
    }
  }

  private long[] keys() {
    int tokens = pages * PAGE_TOKENS;
    long[] blocks = LongStream.range(0, Math.ceilDiv(tokens, TraceRequest.BLOCK_TOKENS)).toArray();
    return PageKeys.of(new TraceRequest(0, 0, tokens, 0, blocks), PAGE_TOKENS);
  }

  private void publish(Worker worker, PagePattern pattern, long[] keys)
      throws InterruptedException {
    int[] devicePages = new int[pages];
    for (int page = 0; page < pages; page++) {
      devicePages[page] = page;
      pattern.fill(page, keys[page * PageKeys.LONGS], keys[page * PageKeys.LONGS + 1]);
    }
    Publication publication = worker.publish(0, NO_EVENT, PageKey.NONE, keys, devicePages);
    publication.commit(true);
    Answer answer = publication.awaitTerminal().orThrow();
    if (answer.state() != AnswerState.PUBLISHED || publication.storedPages() != pages) {
      throw new IllegalStateException(
          "only ["
              + publication.storedPages()
              + "] of "
              + pages
              + " pages were published ("
              + answer.state()
              + "): give the Manager a pool of at least "
              + poolBytes(pages)
              + " bytes");
    }
  }

  private void query(
      Scheduler scheduler,
      OrbitKvClient client,
      long[] keys,
      LatencyRecorder recorder,
      boolean measured)
      throws InterruptedException {
    long began = System.nanoTime();
    QueryHandle query = scheduler.query(REQUEST, keys);
    Answer answer = query.awaitTerminal();
    long ended = System.nanoTime();
    if (answer.orThrow().state() != AnswerState.READY || answer.hits() != pages) {
      throw new IllegalStateException(
          "a query of pages in memory was answered "
              + answer.state()
              + " with ["
              + answer.hits()
              + "] pages");
    }
    client.release(answer.lease());
    client.sync(SYNC_LIMIT);
    if (measured) {
      recorder.record(ended - began);
    }
  }

  private void echo(OrbitKvClient client, byte[] payload, boolean measured)
      throws InterruptedException {
    long began = System.nanoTime();
    byte[] reply = client.echo(payload, RECORD_BYTES - Protocol.HEADER_BYTES);
    long ended = System.nanoTime();
    if (reply.length != RECORD_BYTES - Protocol.HEADER_BYTES) {
      throw new IllegalStateException("an echo came back with [" + reply.length + "] bytes");
    }
    client.sync(SYNC_LIMIT);
    if (measured) {
      echo.record(ended - began);
    }
  }

  /**
   * Reads the record of a finished query over and over: what a scheduler does once a step for each
   * waiting request.
   */
  private Percentiles poll(
      OrbitKvClient client, Scheduler scheduler, BoardLocation location, long[] keys)
      throws IOException, InterruptedException {
    LatencyRecorder recorder = new LatencyRecorder();
    QueryHandle query = scheduler.query(REQUEST, keys);
    Answer answer = query.awaitTerminal().orThrow();
    try (StatusBoardReader reader = StatusBoardReader.open(location, client.welcome().epoch())) {
      BoardSnapshot snapshot = new BoardSnapshot();
      int record = find(reader, query, location.records(), snapshot);
      for (int batch = -POLL_BATCHES; batch < POLL_BATCHES; batch++) {
        long began = System.nanoTime();
        int seen = 0;
        for (int i = 0; i < POLL_BATCH; i++) {
          seen += reader.read(record, query.id(), query.revision(), snapshot) ? snapshot.hits() : 0;
        }
        long nanos = System.nanoTime() - began;
        if (seen != POLL_BATCH * pages) {
          throw new IllegalStateException("the status board changed although nobody wrote it");
        }
        if (batch >= 0) {
          recorder.record(nanos);
        }
      }
    }
    client.release(answer.lease());
    return recorder.percentiles(MICRO * POLL_BATCH);
  }

  private static int find(
      StatusBoardReader reader, QueryHandle query, int records, BoardSnapshot snapshot) {
    for (int record = 0; record < records; record++) {
      if (reader.read(record, query.id(), query.revision(), snapshot)) {
        return record;
      }
    }
    throw new IllegalStateException(
        "the answer of operation [" + query.id() + "] is not on the status board");
  }
}
