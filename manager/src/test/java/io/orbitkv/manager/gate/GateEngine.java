package io.orbitkv.manager.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.client.Answer;
import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.Publication;
import io.orbitkv.client.QueryHandle;
import io.orbitkv.client.Restoration;
import io.orbitkv.client.Worker;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.wire.SharedMemoryFile;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** An engine as its users build one: the client library, a worker and device memory. One thread. */
final class GateEngine implements AutoCloseable {
  static final int PAGE_BYTES = 8192;
  static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int DEVICE_PAGES = 64;
  private static final Namespace NAMESPACE = new Namespace("cd".repeat(32));

  final OrbitKvClient client;
  private final SharedMemoryFile memory;
  private final Worker worker;

  GateEngine(Path socket, String name) throws IOException, InterruptedException {
    this(socket, name, ClientOptions.defaults("gate 1"));
  }

  GateEngine(Path socket, String name, ClientOptions options)
      throws IOException, InterruptedException {
    memory = SharedMemoryFile.create(memoryName(name), (long) DEVICE_PAGES * PAGE_BYTES);
    client = OrbitKvClient.connect(socket, options);
    assertThat(client.boardFailure()).isEmpty();
    LayerLayout layer =
        new LayerLayout("layer.0", 0, 0, DEVICE_PAGES, PAGE_BYTES, 1, 0, PAGE_BYTES);
    WorkerLayout layout =
        new WorkerLayout(
            0, 1, 16, -1, List.of(new GroupSpec(0, new GroupRule.Prefix())), List.of(layer));
    worker = client.register(name, NAMESPACE, layout, memory.deviceMemory());
  }

  /** How the engine's device memory is called in the Manager's books. */
  static String memoryName(String engine) {
    return "gate-device-" + engine;
  }

  static long[] keys(int first, int pages) {
    return Engine.keys(first, pages);
  }

  static int[] devicePages(int first, int pages) {
    return IntStream.range(first, first + pages).toArray();
  }

  Worker worker() {
    return worker;
  }

  int instance() {
    return worker.instance();
  }

  QueryHandle query(String requestId, int first, int pages) {
    return client.query(instance(), requestId, keys(first, pages));
  }

  /** An offer of all pages. */
  QueryHandle hit(String requestId, int first, int pages) throws InterruptedException {
    QueryHandle query = query(requestId, first, pages);
    assertAnswer(query.await(PATIENCE), AnswerState.READY, pages);
    return query;
  }

  /** Publishes from device pages 0.. without a commit. */
  Publication submitPublish(int first, int pages) {
    for (int i = 0; i < pages; i++) {
      fill(i, first + i);
    }
    return worker.publish(0, 0, PageKey.NONE, keys(first, pages), devicePages(0, pages));
  }

  /** Publishes and waits until the pages can be found. */
  void publish(int first, int pages) throws InterruptedException {
    Publication publication = submitPublish(first, pages);
    assertAnswer(publication.await(PATIENCE), AnswerState.PUBLISHED, pages);
    publication.commit(true);
    client.sync(PATIENCE);
  }

  /** Publishes pages that are then in the backing tier alone. */
  void store(int first, int pages) throws InterruptedException {
    publish(first, pages);
    // A page that is still being written could be found in memory.
    Picture.await(client, "the writes", now -> now.get("writes") + now.get("queued_writes") == 0);
    client.evict();
    Picture.await(client, "the eviction", now -> now.get("resident_pages") == 0);
  }

  Restoration submitRestore(QueryHandle query, int into) {
    return worker.restore(query.lease(), 0, devicePages(into, query.answer().hits()));
  }

  /** The same, layer by layer where the Manager can. */
  Restoration submitStaged(QueryHandle query, int into) {
    return worker.restore(query.lease(), 0, devicePages(into, query.answer().hits()), true);
  }

  /** Restores leased pages and compares every byte with what was published. */
  void restoreAndCompare(QueryHandle query, int first) throws InterruptedException {
    int into = DEVICE_PAGES / 2;
    int pages = query.answer().hits();
    assertAnswer(submitRestore(query, into).await(PATIENCE), AnswerState.RESTORED, pages);
    assertBytes(into, first, pages);
  }

  void assertBytes(int devicePage, int first, int pages) {
    for (int page = 0; page < pages; page++) {
      for (long at = 0; at < PAGE_BYTES; at += Long.BYTES) {
        long offset = (long) (devicePage + page) * PAGE_BYTES + at;
        assertThat(memory.segment().get(ValueLayout.JAVA_LONG, offset))
            .as("page [%s], byte [%s]", first + page, at)
            .isEqualTo(value(first + page, at));
      }
    }
  }

  static void assertAnswer(Answer answer, AnswerState state, int hits) {
    assertThat(answer.state()).as("%s", answer).isEqualTo(state);
    assertThat(answer.hits()).as("%s", answer).isEqualTo(hits);
  }

  private void fill(int devicePage, int key) {
    for (long at = 0; at < PAGE_BYTES; at += Long.BYTES) {
      long offset = (long) devicePage * PAGE_BYTES + at;
      memory.segment().set(ValueLayout.JAVA_LONG, offset, value(key, at));
    }
  }

  private static long value(long key, long at) {
    return key * 0x9e3779b97f4a7c15L + at;
  }

  @Override
  public void close() {
    client.close();
    memory.close();
  }
}
