package io.orbitkv.client;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a Manager. Any thread; requests of all threads are pipelined and leave in the
 * order of the calls. Calls that start an operation return at once; those that throw {@link
 * InterruptedException} wait for a reply.
 *
 * <p>Answers come by a status board in shared memory where that is possible and over the socket
 * otherwise. An offered lease lapses unless it is taken within five seconds.
 *
 * <p>When the connection ends, everything that waits fails with {@link ConnectionClosedException},
 * leases are gone, and device pages of copies without an answer stay in use until {@link
 * #managerProvenDead()}.
 */
public final class OrbitKvClient implements AutoCloseable {
  /** A destination of a restore that is to be left alone. */
  private static final int SKIP = -1;

  private final Connection connection;
  private final Hints hints;
  private final String boardFailure;

  private OrbitKvClient(Handshake handshake) {
    this.connection = handshake.connection();
    this.hints = new Hints(connection);
    this.boardFailure = handshake.boardFailure();
  }

  /**
   * Connects.
   *
   * @param socket the Manager's Unix socket
   * @throws IOException when nobody listens there, or the Manager does not take this client; the
   *     message says what to do
   */
  public static OrbitKvClient connect(Path socket, ClientOptions options)
      throws IOException, InterruptedException {
    return new OrbitKvClient(Handshake.connect(socket, options));
  }

  /** What the Manager said about itself. */
  public ServerMessage.Welcome welcome() {
    return connection.welcome();
  }

  /** Whether answers come by the status board. */
  public boolean boardInUse() {
    return boardFailure.isEmpty();
  }

  /** Why the status board is not in use; empty when it is. */
  public String boardFailure() {
    return boardFailure;
  }

  // ---- instances -----------------------------------------------------------------------------

  /**
   * Registers a worker.
   *
   * @param instance name of the engine instance
   * @param namespace what the bytes of the pages depend on
   * @param layout where the pages lie in the device memory
   * @param device the memory; it must stay as it is as long as the Manager may use it, and a
   *     timeout says nothing about that
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public Worker register(
      String instance, Namespace namespace, WorkerLayout layout, DeviceMemoryDescriptor device)
      throws InterruptedException {
    ServerMessage.Registered registered =
        request(
            "Register",
            id -> new ClientMessage.Register(id, instance, namespace, layout, device),
            ServerMessage.Registered.class);
    return new Worker(this, instance, layout.rank(), registered);
  }

  /**
   * Attaches to an instance whose workers have all registered.
   *
   * @throws OrbitKvException with {@link ErrorCode#NOT_SEALED} or {@link ErrorCode#UNKNOWN} while
   *     they have not; or when the request timed out, or the connection ended
   */
  public Scheduler attach(String instance) throws InterruptedException {
    ServerMessage.Attached attached =
        request(
            "Attach", id -> new ClientMessage.Attach(id, instance), ServerMessage.Attached.class);
    return new Scheduler(this, instance, attached);
  }

  /**
   * Reports an engine's speed.
   *
   * @throws ConnectionClosedException when the connection has ended
   */
  public void engineStats(int instance, long prefillTokensPerSecond) {
    connection.sendWithId(
        id -> new ClientMessage.EngineStats(id, instance, prefillTokensPerSecond));
  }

  // ---- queries -------------------------------------------------------------------------------

  /** Asks for the longest available prefix. See {@link #query(int, QueryKind, String, long[])}. */
  public QueryHandle query(int instance, String requestId, long[] keys) {
    return query(instance, QueryKind.DEMAND, requestId, keys);
  }

  /**
   * Asks for pages of group 0. A demand claims what was prepared for exactly this; any other hint
   * for the request is cancelled.
   *
   * @param instance handle from a worker or a scheduler
   * @param kind {@link QueryKind#DEMAND} or {@link QueryKind#PRODUCER_WAIT}
   * @param requestId the engine's name for the request
   * @param keys as (high, low) pairs; read before this returns
   * @throws IllegalArgumentException when the kind is another
   * @throws OrbitKvException when there are too many keys
   * @throws ConnectionClosedException when the connection has ended
   */
  public QueryHandle query(int instance, QueryKind kind, String requestId, long[] keys) {
    connection.checkKeys(keys);
    return switch (kind) {
      case DEMAND ->
          hints
              .claimFor(new Hints.Key(instance, requestId), keys, null)
              .orElseGet(() -> submit(instance, kind, requestId, keys, null));
      case PRODUCER_WAIT -> submit(instance, kind, requestId, keys, null);
      case SELECTED, DISCOVER, PREPARE, WARM ->
          throw new IllegalArgumentException(
              "queries of the kind [" + kind + "] have a method of their own");
    };
  }

  /**
   * Asks where complete pages are; the first step of recovery with several groups.
   *
   * @param instance handle from a worker or a scheduler
   * @param requestId the engine's name for the request
   * @param groups ascending
   * @param pagesOfGroup as many page counts: of the whole span, for each group
   * @param keys of the groups one after another, as (high, low) pairs; read before this returns
   * @throws OrbitKvException when there are too many keys or the Manager does not offer it
   * @throws ConnectionClosedException when the connection has ended
   */
  public Discovery discover(
      int instance, String requestId, int[] groups, int[] pagesOfGroup, long[] keys) {
    connection.checkFeature(Features.RECOVERY, "discovery");
    connection.checkKeys(keys);
    return connection.startOnSocket(
        new Connection.Starter<Discovery>() {
          @Override
          public Discovery create(long id, int record) {
            return new Discovery(connection, id, groups, pagesOfGroup);
          }

          @Override
          public ClientMessage message(Discovery discovery) {
            return new ClientMessage.Submit(
                discovery.id(),
                Discovery.REVISION,
                discovery.record,
                instance,
                QueryKind.DISCOVER,
                requestId,
                groups,
                pagesOfGroup,
                keys,
                null);
          }
        });
  }

  /**
   * Asks for all pages of a selected boundary's ranges, or nothing. What was prepared for exactly
   * this is claimed; any other hint for the request is cancelled. An offer of anything but all
   * pages goes back and is a miss.
   *
   * @param instance handle from a worker or a scheduler
   * @param requestId the engine's name for the request
   * @param demand the ranges, over all groups of the model
   * @param keys of the ranges one after another, as (high, low) pairs; read before this returns
   * @throws IllegalArgumentException when there are not as many keys as the ranges have pages
   * @throws OrbitKvException when there are too many keys or the Manager does not offer it
   * @throws ConnectionClosedException when the connection has ended
   */
  public QueryHandle select(int instance, String requestId, RecoveryDemand demand, long[] keys) {
    connection.checkFeature(Features.RECOVERY, "selected recovery");
    connection.checkKeys(keys);
    checkPages(demand, keys);
    return hints
        .claimFor(new Hints.Key(instance, requestId), keys, demand)
        .orElseGet(() -> submit(instance, QueryKind.SELECTED, requestId, keys, demand));
  }

  /**
   * Has the pages of a prefix brought into host memory for a request that will soon be asked for.
   *
   * @param instance handle from a worker or a scheduler
   * @param requestId the engine's name for the request
   * @param keys as (high, low) pairs; read before this returns
   * @return empty when there are four preparations already, or one for this request
   * @throws OrbitKvException when there are too many keys or the Manager does not offer it
   * @throws ConnectionClosedException when the connection has ended
   */
  public Optional<Preparation> prepare(int instance, String requestId, long[] keys) {
    return prepare(instance, requestId, keys, null);
  }

  /**
   * The same for a selected boundary's ranges, which {@link #select} claims with the same demand.
   *
   * @throws IllegalArgumentException when there are not as many keys as the ranges have pages
   */
  public Optional<Preparation> prepareSelected(
      int instance, String requestId, RecoveryDemand demand, long[] keys) {
    connection.checkFeature(Features.RECOVERY, "selected recovery");
    checkPages(demand, keys);
    return prepare(instance, requestId, keys, demand);
  }

  private Optional<Preparation> prepare(
      int instance, String requestId, long[] keys, @Nullable RecoveryDemand demand) {
    connection.checkFeature(Features.PREPARE, "preparation");
    connection.checkKeys(keys);
    return hints.prepare(
        new Hints.Key(instance, requestId),
        keys,
        demand,
        () -> submit(instance, QueryKind.PREPARE, requestId, keys, demand));
  }

  /**
   * Has the pages of a prefix brought into host memory, where nobody owns them. A hint: nothing is
   * told of its end.
   *
   * @param instance handle from a worker or a scheduler
   * @param requestId the engine's name for the request
   * @param keys as (high, low) pairs; read before this returns
   * @return false when there are 16 warm hints already, or one for this request
   * @throws OrbitKvException when there are too many keys or the Manager does not offer it
   * @throws ConnectionClosedException when the connection has ended
   */
  public boolean warm(int instance, String requestId, long[] keys) {
    connection.checkFeature(Features.WARM, "warming");
    connection.checkKeys(keys);
    return hints.warm(
        new Hints.Key(instance, requestId),
        () -> connection.startOnSocket(starter(instance, QueryKind.WARM, requestId, keys, null)));
  }

  /**
   * Reports changes of the engine's queue, in their order. More than one report can hold must be
   * cut by the caller.
   *
   * @param instance handle from a worker or a scheduler
   * @param changes at most {@link io.orbitkv.wire.Protocol#MAX_QUEUE_CHANGES}, with no more pages
   *     together than one query may have
   * @throws OrbitKvException when the report is too large or the Manager does not offer it
   * @throws ConnectionClosedException when the connection has ended
   */
  public void queue(int instance, List<ClientMessage.Queue.Entry> changes) {
    connection.checkFeature(Features.QUEUE, "queue reports");
    connection.sendWithId(id -> new ClientMessage.Queue(id, instance, changes));
  }

  private QueryHandle submit(
      int instance,
      QueryKind kind,
      String requestId,
      long[] keys,
      @Nullable RecoveryDemand demand) {
    return connection.start(starter(instance, kind, requestId, keys, demand));
  }

  private Connection.Starter<QueryHandle> starter(
      int instance,
      QueryKind kind,
      String requestId,
      long[] keys,
      @Nullable RecoveryDemand demand) {
    return new Connection.Starter<>() {
      @Override
      public QueryHandle create(long id, int record) {
        return new QueryHandle(connection, id, record, instance, kind, requestId, demand);
      }

      @Override
      public ClientMessage message(QueryHandle query) {
        return query.message(QueryHandle.FIRST_REVISION, keys);
      }
    };
  }

  private static void checkPages(RecoveryDemand demand, long[] keys) {
    long pages = 0;
    for (int ofRange : QueryHandle.pagesOf(demand)) {
      pages += ofRange;
    }
    if (keys.length != 2 * pages) {
      throw new IllegalArgumentException(
          "[" + keys.length + "] key halves for the [" + pages + "] pages of the demand");
    }
  }

  /**
   * Gives a lease back, offered or taken.
   *
   * @throws ConnectionClosedException when the connection has ended, and the lease with it
   */
  public void release(LeaseId lease) {
    connection.sendWithId(id -> new ClientMessage.Release(id, lease));
    connection.acknowledgeOffer(lease);
  }

  // ---- copies --------------------------------------------------------------------------------

  /**
   * Copies leased pages into the device memory of this connection's worker.
   *
   * @param instance handle from the worker
   * @param lease from a query, of this connection or another
   * @param waitEvent event to wait for before the first byte moves, or 0
   * @param devicePages a destination for each leased page, or -1 to leave it out; theirs until a
   *     terminal answer
   * @throws OrbitKvException when there are too many pages
   * @throws ConnectionClosedException when the connection had ended before; the pages are free then
   */
  public Restoration restore(int instance, LeaseId lease, long waitEvent, int[] devicePages) {
    return restore(instance, lease, waitEvent, devicePages, false);
  }

  /**
   * The same, layer by layer where the Manager can: the answer is {@link
   * io.orbitkv.api.query.AnswerState#SUBMITTED} once an event behind each layer can be waited for,
   * and {@link Restoration#waited()} is to be called after that. Where it cannot, or no slot is
   * free, the end alone is told.
   *
   * @param staged whether to
   * @throws OrbitKvException when there are too many pages
   * @throws ConnectionClosedException when the connection had ended before; the pages are free then
   */
  public Restoration restore(
      int instance, LeaseId lease, long waitEvent, int[] devicePages, boolean staged) {
    int wanted = (int) Arrays.stream(devicePages).filter(page -> page != SKIP).count();
    // A wish: a Manager that knows nothing of it tells the end alone.
    boolean wish = staged && connection.agreed(Features.STAGED);
    Restoration restoration =
        connection.start(
            new Connection.Starter<Restoration>() {
              @Override
              public Restoration create(long id, int record) {
                return new Restoration(connection, id, record, wanted, wish);
              }

              @Override
              public ClientMessage message(Restoration operation) {
                return new ClientMessage.Restore(
                    operation.id(),
                    operation.record,
                    instance,
                    lease,
                    waitEvent,
                    devicePages,
                    wish);
              }
            });
    connection.acknowledgeOffer(lease);
    return restoration;
  }

  /**
   * Copies pages from the device memory of this connection's worker. They can be found after {@link
   * Publication#commit}.
   *
   * @param instance handle from the worker
   * @param group the group of the pages
   * @param waitEvent the producer's event to wait for before the first byte is read, or 0
   * @param parent the page before the first one, or {@link PageKey#NONE}
   * @param keys of consecutive pages of one chain, as (high, low) pairs; read before this returns
   * @param devicePages as many sources; they are the publish's until a terminal answer
   * @throws OrbitKvException when there are too many pages
   * @throws ConnectionClosedException when the connection had ended before; the pages are free then
   */
  public Publication publish(
      int instance, int group, long waitEvent, PageKey parent, long[] keys, int[] devicePages) {
    connection.checkKeys(keys);
    return connection.start(
        new Connection.Starter<Publication>() {
          @Override
          public Publication create(long id, int record) {
            return new Publication(connection, id, record, devicePages.length);
          }

          @Override
          public ClientMessage message(Publication operation) {
            return new ClientMessage.Publish(
                operation.id(),
                operation.record,
                instance,
                group,
                waitEvent,
                parent,
                keys,
                devicePages);
          }
        });
  }

  // ---- administration ------------------------------------------------------------------------

  /**
   * Waits until every publish accepted before has sealed or was discarded.
   *
   * @return pages discarded
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public long sync(Duration timeout) throws InterruptedException {
    return connection
        .request("Sync", ClientMessage.Sync::new, ServerMessage.Done.class)
        .await(ServerMessage.Done.class, timeout)
        .value();
  }

  /**
   * Waits until every publish accepted before has sealed or was discarded, and what was queued for
   * the backing tier by then is written, or given up, and flushed.
   *
   * @return pages discarded
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public long syncDurable(Duration timeout) throws InterruptedException {
    return connection
        .request(
            "Sync", operation -> new ClientMessage.Sync(operation, true), ServerMessage.Done.class)
        .await(ServerMessage.Done.class, timeout)
        .value();
  }

  /**
   * Makes every page unfindable until it is published anew: in host memory, and in the backing tier
   * for good.
   *
   * @return bytes of host memory that are free at once
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public long evictAll(Duration timeout) throws InterruptedException {
    return connection
        .request(
            "Evict",
            operation -> new ClientMessage.Evict(operation, true),
            ServerMessage.Done.class)
        .await(ServerMessage.Done.class, timeout)
        .value();
  }

  /**
   * Makes every page unfindable in host memory; the backing tier keeps its pages.
   *
   * @return bytes that are free at once
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public long evict() throws InterruptedException {
    return request("Evict", ClientMessage.Evict::new, ServerMessage.Done.class).value();
  }

  /** The same, and waits so long. */
  public long evict(Duration timeout) throws InterruptedException {
    return connection
        .request("Evict", ClientMessage.Evict::new, ServerMessage.Done.class)
        .await(ServerMessage.Done.class, timeout)
        .value();
  }

  /**
   * The Manager's status as JSON.
   *
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public String status() throws InterruptedException {
    return request("Status", ClientMessage.Status::new, ServerMessage.StatusReport.class).json();
  }

  /**
   * The Manager's metrics, one consistent picture.
   *
   * @param json as one JSON object; otherwise as Prometheus text
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public String metrics(boolean json) throws InterruptedException {
    return request(
            "Metrics", id -> new ClientMessage.Metrics(id, json), ServerMessage.MetricsReport.class)
        .text();
  }

  /**
   * Asks about the Manager's policies, or changes them; see {@link ClientMessage.Policy}.
   *
   * @param json the request, one object
   * @return the answer, one JSON object
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public String policy(String json) throws InterruptedException {
    return request(
            "Policy", id -> new ClientMessage.Policy(id, json), ServerMessage.PolicyReport.class)
        .json();
  }

  /**
   * A round trip that does nothing: the floor of the socket.
   *
   * @param payload to send
   * @param replyBytes size of the answer
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public byte[] echo(byte[] payload, int replyBytes) throws InterruptedException {
    return request(
            "Echo", id -> new ClientMessage.Echo(id, replyBytes, payload), ServerMessage.Echo.class)
        .payload();
  }

  <R extends ServerMessage> R request(
      String name, LongFunction<ClientMessage> message, Class<R> reply)
      throws InterruptedException {
    return connection
        .request(name, message, reply)
        .await(reply, connection.options().requestTimeout());
  }

  // ---- state ---------------------------------------------------------------------------------

  /** Whether the connection stands, as far as is known. */
  public boolean connected() {
    return connection.endReason() == null;
  }

  /** Why the connection ended; empty while it stands. */
  public String endReason() {
    String reason = connection.endReason();
    return reason == null ? "" : reason;
  }

  /**
   * Whether the connection has ended and the Manager's process is gone, and with it every copy that
   * it ran: only then are device pages free that got no answer. Without the status board nothing
   * can be proven and this is false.
   */
  public boolean managerProvenDead() {
    return connection.managerProvenDead();
  }

  /** What this client counted. */
  public ClientStatistics statistics() {
    return connection.counters().snapshot();
  }

  /** Board records that are free; for tests of leaks. */
  int freeRecords() {
    return connection.records().available();
  }

  /** Offers that are remembered until they are acknowledged or lapse; for tests of leaks. */
  int openOffers() {
    return connection.openOffers();
  }

  /** Operations and requests that wait; for tests of leaks. */
  int waiting() {
    return connection.pendingCount();
  }

  /**
   * Ends the connection: everything that waits fails, interest ends, leases go back. Device pages
   * of copies without an answer stay in use. Idempotent.
   */
  @Override
  public void close() {
    connection.close();
  }
}
