package io.orbitkv.client;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.BoardSnapshot;
import io.orbitkv.wire.ClientCodec;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.Limits;
import io.orbitkv.wire.ProtocolException;
import io.orbitkv.wire.ServerMessage;
import io.orbitkv.wire.StatusBoardReader;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/*
 * One connection after its handshake.
 *
 * Locks: an operation's monitor may be held while the send lock is taken, never the other way
 * round; the reader thread takes monitors alone. Ids are given and frames written under the send
 * lock, so that ids grow in the order of the frames. All ends of a connection run through the
 * reader thread, which fails whatever waits; a failed write only waits for that.
 */
final class Connection {
  private static final int SEND_BUFFER_BYTES = 64 << 10;

  /**
   * An offer lapses after 5 s; by then it has for certain, unless the Manager itself was stopped.
   */
  private static final Duration CERTAIN_LAPSE = Duration.ofSeconds(30);

  /** How often offers that have lapsed are looked for, at most. */
  private static final Duration SWEEP_PAUSE = Duration.ofSeconds(5);

  /** How long a failed write waits for the reader thread to find out why. */
  private static final Duration REASON_WAIT = Duration.ofMillis(500);

  private final SocketChannel channel;
  private final ClientOptions options;
  private final ServerMessage.Welcome welcome;
  private final ClientCodec codec;
  private final ReplyReader reader;
  private final @Nullable StatusBoardReader board;
  private final BoardRecords records;
  private final ManagerProcess manager;
  private final Counters counters = new Counters();
  private final Map<Long, Pending> pending;
  private final Map<LeaseId, QueryHandle> offers = new ConcurrentHashMap<>();
  private final AtomicLong sweptNanos;

  private final ReentrantLock sendLock = new ReentrantLock();
  // Guarded by sendLock.
  private final FrameBuffer out;
  private long lastId;
  private boolean outClosed;

  Connection(
      SocketChannel channel,
      ClientOptions options,
      ServerMessage.Welcome welcome,
      ReplyReader reader,
      Map<Long, Pending> pending,
      @Nullable StatusBoardReader board,
      ManagerProcess manager,
      long lastId) {
    this.channel = channel;
    this.options = options;
    this.welcome = welcome;
    this.codec = new ClientCodec(new Limits(welcome.maxFrameBytes(), welcome.maxQueryPages()));
    this.reader = reader;
    this.pending = pending;
    this.board = board;
    this.manager = manager;
    this.records = new BoardRecords(board == null ? 0 : board.records());
    this.out = new FrameBuffer(SEND_BUFFER_BYTES, welcome.maxFrameBytes());
    this.lastId = lastId;
    this.sweptNanos = new AtomicLong(now());
    reader.countInto(counters);
  }

  ServerMessage.Welcome welcome() {
    return welcome;
  }

  ClientOptions options() {
    return options;
  }

  Counters counters() {
    return counters;
  }

  BoardRecords records() {
    return records;
  }

  long now() {
    return options.nanoClock().getAsLong();
  }

  /** Why the connection ended, or null. */
  @Nullable String endReason() {
    return reader.endReason();
  }

  /** Whether the connection has ended and the Manager's process is gone. */
  boolean managerProvenDead() {
    return endReason() != null && manager.provenDead();
  }

  int pendingCount() {
    return pending.size();
  }

  // ---- status board --------------------------------------------------------------------------

  /** A place for readings of the board; one for each operation, since any thread may poll it. */
  BoardSnapshot snapshot() {
    return new BoardSnapshot();
  }

  boolean readBoard(int record, long operation, int revision, BoardSnapshot into) {
    StatusBoardReader open = board;
    try {
      return open != null && open.read(record, operation, revision, into);
    } catch (IllegalStateException closed) {
      // Unmapped by close, after every operation had its last look.
      return false;
    }
  }

  /** A free record, or {@link BoardRecords#NONE}. */
  private int takeRecord() {
    if (board == null) {
      return BoardRecords.NONE;
    }
    int record = records.take();
    if (record == BoardRecords.NONE) {
      reclaimLapsedOffers(now());
      record = records.take();
    }
    if (record == BoardRecords.NONE) {
      counters.operationsWithoutRecord.increment();
    }
    return record;
  }

  /**
   * Forgets offers that their callers let lapse, now and then: each is a record of the board, or
   * without one an entry here, that nothing else would take back.
   */
  private void sweepLapsedOffers() {
    long now = now();
    long swept = sweptNanos.get();
    if (now - swept >= SWEEP_PAUSE.toNanos() && sweptNanos.compareAndSet(swept, now)) {
      reclaimLapsedOffers(now);
    }
  }

  private void reclaimLapsedOffers(long now) {
    offers.forEach((lease, query) -> {
      if (query.lapsed(now, CERTAIN_LAPSE.toNanos()) && offers.remove(lease, query)) {
        query.giveRecordBack();
      }
    });
  }

  /** Offers that nobody has acknowledged, as far as is known; for tests. */
  int openOffers() {
    return offers.size();
  }

  void rememberOffer(LeaseId lease, QueryHandle query) {
    offers.put(lease, query);
  }

  void forgetOffer(LeaseId lease) {
    offers.remove(lease);
  }

  /** The lease was named in a message that was sent: its offer is acknowledged. */
  void acknowledgeOffer(LeaseId lease) {
    QueryHandle query = offers.remove(lease);
    if (query != null) {
      query.acknowledgedByLease();
    }
  }

  // ---- sending -------------------------------------------------------------------------------

  /** Makes and sends an operation. */
  interface Starter<O extends Operation> {
    O create(long id, int record);

    ClientMessage message(O operation);
  }

  /**
   * Starts an operation. When nothing was sent this throws; once the message may have reached the
   * Manager it returns the operation, which then tells of the end of the connection.
   */
  <O extends Operation> O start(Starter<O> starter) {
    sweepLapsedOffers();
    return start(starter, takeRecord());
  }

  /** Starts an operation that is answered over the socket. */
  <O extends Operation> O startOnSocket(Starter<O> starter) {
    return start(starter, BoardRecords.NONE);
  }

  private <O extends Operation> O start(Starter<O> starter, int record) {
    O operation;
    IOException failure = null;
    sendLock.lock();
    try {
      long id = ++lastId;
      operation = starter.create(id, record);
      pending.put(id, operation);
      boolean encoded = false;
      try {
        encode(starter.message(operation));
        encoded = true;
      } finally {
        if (!encoded) {
          pending.remove(id);
          operation.giveRecordBack();
        }
      }
      failure = write();
    } finally {
      sendLock.unlock();
    }
    if (failure != null) {
      operation.ended(reason(failure));
    }
    return operation;
  }

  /**
   * Sends a control request.
   *
   * @param message from the id
   * @param reply the kind of reply that it has
   */
  Request request(
      String name, LongFunction<ClientMessage> message, Class<? extends ServerMessage> reply) {
    Request request = new Request(name, reply);
    IOException failure;
    sendLock.lock();
    try {
      long id = ++lastId;
      encode(message.apply(id));
      pending.put(id, request);
      failure = write();
    } finally {
      sendLock.unlock();
    }
    if (failure != null) {
      request.ended(reason(failure));
    }
    return request;
  }

  /** Sends a message that has no reply, with an id of its own. */
  void sendWithId(LongFunction<ClientMessage> message) {
    IOException failure;
    sendLock.lock();
    try {
      encode(message.apply(++lastId));
      failure = write();
    } finally {
      sendLock.unlock();
    }
    throwIfFailed(failure);
  }

  /** Sends a message about an operation. */
  void send(ClientMessage message) {
    IOException failure;
    sendLock.lock();
    try {
      encode(message);
      failure = write();
    } finally {
      sendLock.unlock();
    }
    throwIfFailed(failure);
  }

  /** Sends a question; the end of the connection is found out by whoever waits for the answer. */
  void ask(ClientMessage.Ask question) {
    counters.asks.increment();
    try {
      send(question);
    } catch (ConnectionClosedException ended) {
      // The operation itself is told.
      return;
    }
  }

  /** The operation waits for an answer again. */
  void expect(Operation operation) {
    pending.put(operation.id(), operation);
  }

  void forget(long id) {
    pending.remove(id);
  }

  /** Whether a feature was agreed on. */
  boolean agreed(long feature) {
    return (welcome.features() & feature) != 0;
  }

  void checkFeature(long feature, String what) {
    if (!agreed(feature)) {
      throw new OrbitKvException(
          ErrorCode.UNSUPPORTED,
          what + " was not agreed on with this Manager: see the features of the client's options");
    }
  }

  void checkKeys(long[] keys) {
    if (keys.length % 2 != 0) {
      throw new IllegalArgumentException(
          "[" + keys.length + "] key halves: a key has two, high and low");
    }
    if (keys.length / 2 > welcome.maxQueryPages()) {
      throw new OrbitKvException(
          ErrorCode.LIMIT,
          "["
              + keys.length / 2
              + "] pages: this Manager takes at most "
              + welcome.maxQueryPages()
              + " at a time");
    }
  }

  /** Under the send lock. */
  private void encode(ClientMessage message) {
    String ended = endReason();
    if (ended != null || outClosed) {
      throw new ConnectionClosedException(ended == null ? ReplyReader.BY_CLIENT : ended);
    }
    try {
      codec.encode(message, welcome.epoch(), out);
    } catch (ProtocolException tooLarge) {
      throw new OrbitKvException(ErrorCode.LIMIT, String.valueOf(tooLarge.getMessage()), tooLarge);
    }
  }

  /** Under the send lock. What went wrong, or null. */
  private @Nullable IOException write() {
    // An interrupted thread would close the channel for everybody; it keeps its interrupt for its
    // own next wait.
    boolean interrupted = Thread.interrupted();
    try {
      out.writeTo(channel);
      return null;
    } catch (IOException failure) {
      return failure;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void throwIfFailed(@Nullable IOException failure) {
    if (failure != null) {
      throw new ConnectionClosedException(reason(failure));
    }
  }

  /** The Manager's own reason, when it gave one, rather than the broken pipe that followed. */
  private String reason(IOException failure) {
    String reason = reader.awaitEnd(REASON_WAIT);
    if (reason == null) {
      closeChannel();
      reason = reader.awaitEnd(REASON_WAIT);
    }
    return reason == null ? String.valueOf(failure.getMessage()) : reason;
  }

  // ---- end -----------------------------------------------------------------------------------

  /** Ends the connection and frees everything. Idempotent. */
  void close() {
    reader.closing();
    closeChannel();
    reader.join();
    sendLock.lock();
    try {
      if (!outClosed) {
        outClosed = true;
        out.close();
      }
    } finally {
      sendLock.unlock();
    }
    if (board != null) {
      board.close();
    }
  }

  /**
   * The Manager said what it cannot mean: nothing else that it says can be relied on. Whatever
   * waits is told by the reader thread.
   */
  void poison(String reason) {
    reader.poison(reason);
    closeChannel();
  }

  private void closeChannel() {
    try {
      channel.close();
    } catch (IOException ignored) {
      // Nothing is lost: whatever was to be sent is sent.
      return;
    }
  }
}
