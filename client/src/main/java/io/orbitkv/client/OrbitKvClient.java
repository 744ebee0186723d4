package io.orbitkv.client;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongFunction;

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
  private final Connection connection;
  private final String boardFailure;
  private final Optional<ProcessHandle> manager;

  private OrbitKvClient(Handshake handshake) {
    this.connection = handshake.connection();
    this.boardFailure = handshake.boardFailure();
    ServerMessage.BoardLocation location = connection.welcome().board();
    // Only a board that could be opened proves that the process number means the same process here
    // as there.
    this.manager =
        location == null || !boardFailure.isEmpty()
            ? Optional.empty()
            : ProcessHandle.of(location.pid());
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
   * Asks for pages of group 0.
   *
   * @param instance handle from a worker or a scheduler
   * @param kind {@link QueryKind#DEMAND} or {@link QueryKind#PRODUCER_WAIT}
   * @param requestId the engine's name for the request
   * @param keys as (high, low) pairs; read before this returns
   * @throws OrbitKvException when there are too many keys or the Manager does not offer the kind
   * @throws ConnectionClosedException when the connection has ended
   */
  public QueryHandle query(int instance, QueryKind kind, String requestId, long[] keys) {
    connection.checkKeys(keys);
    if (kind != QueryKind.DEMAND && kind != QueryKind.PRODUCER_WAIT) {
      throw new OrbitKvException(
          ErrorCode.UNSUPPORTED, "queries of the kind [" + kind + "] are not offered");
    }
    return connection.start(
        new Connection.Starter<QueryHandle>() {
          @Override
          public QueryHandle create(long id, int record) {
            return new QueryHandle(connection, id, record, instance, kind, requestId);
          }

          @Override
          public ClientMessage message(QueryHandle query) {
            return query.message(QueryHandle.FIRST_REVISION, keys);
          }
        });
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
    Restoration restoration =
        connection.start(
            new Connection.Starter<Restoration>() {
              @Override
              public Restoration create(long id, int record) {
                return new Restoration(connection, id, record);
              }

              @Override
              public ClientMessage message(Restoration operation) {
                return new ClientMessage.Restore(
                    operation.id(), operation.record, instance, lease, waitEvent, devicePages);
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
            return new Publication(connection, id, record);
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
   * Removes every unreferenced page from host memory.
   *
   * @return bytes evicted
   * @throws OrbitKvException when the request was refused, timed out, or the connection ended
   */
  public long evict() throws InterruptedException {
    return request("Evict", ClientMessage.Evict::new, ServerMessage.Done.class).value();
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
    return !connected() && manager.isPresent() && !manager.get().isAlive();
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
