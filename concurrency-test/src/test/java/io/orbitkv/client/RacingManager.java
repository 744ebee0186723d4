package io.orbitkv.client;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.wire.ClientCodec;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.Features;
import io.orbitkv.wire.Frame;
import io.orbitkv.wire.FrameBuffer;
import io.orbitkv.wire.FrameReader;
import io.orbitkv.wire.Limits;
import io.orbitkv.wire.Protocol;
import io.orbitkv.wire.ServerCodec;
import io.orbitkv.wire.ServerMessage;
import io.orbitkv.wire.StatusBoardWriter;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A Manager that answers each query at once, every third with an offer, and that keeps watch over
 * the records: one may be named again only when its last answer was no offer, or after the message
 * that acknowledged it. It takes one connection after another and hangs up after so many queries.
 */
final class RacingManager implements AutoCloseable {
  static final long EPOCH = 99;
  private static final int RECORDS = 3;

  private final ServerSocketChannel listener;
  private final StatusBoardWriter board;
  private final Thread thread;
  private final ClientCodec clientCodec = new ClientCodec(Limits.DEFAULT);
  private final ServerCodec serverCodec = new ServerCodec();
  private final FrameBuffer out = new FrameBuffer(4096, Protocol.DEFAULT_MAX_FRAME_BYTES);
  private final int hangsUpAfter;
  private volatile Throwable failure;

  RacingManager(Path socket, int hangsUpAfter) throws IOException {
    this.hangsUpAfter = hangsUpAfter;
    listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    listener.bind(UnixDomainSocketAddress.of(socket));
    board = StatusBoardWriter.create(EPOCH, RECORDS);
    thread = Thread.ofPlatform().name("racing-manager").daemon().start(this::run);
  }

  /** Whether the query of this id gets a lease. */
  static boolean offers(long operation) {
    return operation % 3 == 0;
  }

  static LeaseId leaseOf(long operation) {
    return offers(operation) ? new LeaseId(operation, ~operation) : LeaseId.NONE;
  }

  /** What went wrong, or null. */
  Throwable failure() {
    return failure;
  }

  private void run() {
    while (listener.isOpen()) {
      try (SocketChannel accepted = listener.accept()) {
        serve(accepted);
      } catch (ClosedChannelException closed) {
        return;
      } catch (IOException gone) {
        // The client closed in the middle of something.
        out.clear();
      } catch (AssertionError | RuntimeException wrong) {
        failure = wrong;
        return;
      }
    }
  }

  private void serve(SocketChannel channel) throws IOException {
    long[] offerOfRecord = new long[RECORDS];
    int queries = 0;
    try (FrameReader frames = new FrameReader(channel, Protocol.DEFAULT_MAX_FRAME_BYTES)) {
      for (Frame frame = frames.next(); frame != null; frame = frames.next()) {
        switch (clientCodec.decode(frame)) {
          case ClientMessage.Hello hello ->
              send(
                  channel,
                  new ServerMessage.Welcome(
                      hello.operation(),
                      Protocol.VERSION,
                      Features.BOARD,
                      EPOCH,
                      1,
                      1 << 20,
                      1000,
                      "race",
                      board.location()));
          case ClientMessage.Submit submit -> {
            if (++queries == hangsUpAfter) {
              return;
            }
            answer(channel, submit, offerOfRecord);
          }
          case ClientMessage.Taken taken -> free(offerOfRecord, taken.operation());
          case ClientMessage.Cancel cancel -> free(offerOfRecord, cancel.operation());
          case ClientMessage.Release release -> free(offerOfRecord, release.lease().high());
          case ClientMessage.Ask ask -> {}
          case ClientMessage other -> throw new AssertionError("unexpected " + other);
        }
      }
    }
  }

  private void answer(SocketChannel channel, ClientMessage.Submit submit, long[] offerOfRecord)
      throws IOException {
    long operation = submit.operation();
    int record = submit.record();
    AnswerState state = offers(operation) ? AnswerState.READY : AnswerState.MISS;
    int hits = (int) operation;
    LeaseId lease = leaseOf(operation);
    if (record < 0) {
      send(
          channel,
          new ServerMessage.Answer(
              operation, submit.revision(), state, hits, operation, lease, ErrorCode.NONE, ""));
      return;
    }
    if (offerOfRecord[record] != 0) {
      throw new AssertionError(
          "record ["
              + record
              + "] was named by operation ["
              + operation
              + "] while the offer of ["
              + offerOfRecord[record]
              + "] stands on it");
    }
    offerOfRecord[record] = offers(operation) ? operation : 0;
    board.write(
        record, operation, submit.revision(), state, lease, hits, ErrorCode.NONE, operation);
  }

  private static void free(long[] offerOfRecord, long operation) {
    for (int record = 0; record < RECORDS; record++) {
      if (offerOfRecord[record] == operation) {
        offerOfRecord[record] = 0;
      }
    }
  }

  private void send(SocketChannel channel, ServerMessage message) throws IOException {
    serverCodec.encode(message, EPOCH, out);
    out.writeTo(channel);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    out.close();
    board.close();
  }
}
