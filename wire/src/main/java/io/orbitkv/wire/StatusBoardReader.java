package io.orbitkv.wire;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel.MapMode;
import java.util.Objects;

/** The client's side of a status board. Any number of threads. */
public final class StatusBoardReader implements AutoCloseable {
  private static final int SEALS =
      SealedMemory.SEAL_SHRINK | SealedMemory.SEAL_GROW | SealedMemory.SEAL_FUTURE_WRITE;

  /** Readings of one poll that may fall into a write, which takes some ten nanoseconds. */
  private static final int ATTEMPTS = 16;

  // Codes have no gaps, from 1 and from 0.
  private static final int LAST_STATE = AnswerState.values().length;
  private static final int LAST_ERROR = ErrorCode.values().length - 1;

  private final SealedMemory memory;
  private final MemorySegment board;
  private final long epoch;
  private final int records;

  private StatusBoardReader(SealedMemory memory, long epoch, int records) {
    this.memory = memory;
    this.board = memory.segment();
    this.epoch = epoch;
    this.records = records;
  }

  /**
   * Opens the board that a Manager named.
   *
   * @param epoch of that Manager; tells its board from one that another process has at the same
   *     place
   * @throws IOException saying why it cannot be used; answers come over the socket then
   */
  public static StatusBoardReader open(ServerMessage.BoardLocation location, long epoch)
      throws IOException {
    int records = location.records();
    if (records < 1 || records > BoardLayout.MAX_RECORDS) {
      throw new IOException("a board of [" + records + "] records");
    }
    SealedMemory memory =
        SealedMemory.open(
            location.pid(),
            location.descriptor(),
            BoardLayout.bytes(records),
            SEALS,
            MapMode.READ_ONLY);
    MemorySegment board = memory.segment();
    long magic = (long) BoardLayout.SEQUENCES.getAcquire(board, (long) BoardLayout.HEADER_MAGIC);
    int version = board.get(BoardLayout.INT, BoardLayout.HEADER_VERSION);
    int recordBytes = board.get(BoardLayout.INT, BoardLayout.HEADER_RECORD_BYTES);
    long itsEpoch = board.get(BoardLayout.LONG, BoardLayout.HEADER_EPOCH);
    int itsRecords = board.get(BoardLayout.INT, BoardLayout.HEADER_RECORDS);
    if (magic != BoardLayout.MAGIC
        || version != BoardLayout.VERSION
        || recordBytes != BoardLayout.RECORD_BYTES
        || itsEpoch != epoch
        || itsRecords != records) {
      memory.close();
      throw new IOException(
          "descriptor ["
              + location.descriptor()
              + "] of process ["
              + location.pid()
              + "] is not this Manager's status board (version ["
              + version
              + "], epoch ["
              + itsEpoch
              + "]): run both sides in one process namespace");
    }
    return new StatusBoardReader(memory, epoch, records);
  }

  /** Number of records. */
  public int records() {
    return records;
  }

  /**
   * Polls a record: no system call, no allocation, well below a microsecond.
   *
   * @return whether the record holds an answer to this very revision of the operation; the snapshot
   *     is filled only then. False too when the writer did not get out of the record while this
   *     looked at it
   * @throws IndexOutOfBoundsException when there is no such record
   * @throws IllegalStateException after {@link #close}
   */
  public boolean read(int record, long operation, int revision, BoardSnapshot into) {
    long at = BoardLayout.offset(Objects.checkIndex(record, records));
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      long before = (long) BoardLayout.SEQUENCES.getAcquire(board, at + BoardLayout.SEQUENCE);
      if ((before & 1) != 0) {
        Thread.onSpinWait();
        continue;
      }
      long itsOperation = board.get(BoardLayout.LONG, at + BoardLayout.OPERATION);
      int itsRevision = board.get(BoardLayout.INT, at + BoardLayout.REVISION);
      int state = board.get(BoardLayout.INT, at + BoardLayout.STATE);
      long leaseHigh = board.get(BoardLayout.LONG, at + BoardLayout.LEASE_HIGH);
      long leaseLow = board.get(BoardLayout.LONG, at + BoardLayout.LEASE_LOW);
      int hits = board.get(BoardLayout.INT, at + BoardLayout.HITS);
      int error = board.get(BoardLayout.INT, at + BoardLayout.ERROR);
      long itsEpoch = board.get(BoardLayout.LONG, at + BoardLayout.EPOCH);
      long detail = board.get(BoardLayout.LONG, at + BoardLayout.DETAIL);
      VarHandle.loadLoadFence();
      long after = board.get(BoardLayout.LONG, at + BoardLayout.SEQUENCE);
      if (before != after) {
        continue;
      }
      // A state or error that this version does not know is left to the socket, which says what is
      // wrong.
      if (itsOperation != operation
          || itsRevision != revision
          || itsEpoch != epoch
          || state < 1
          || state > LAST_STATE
          || error < 0
          || error > LAST_ERROR) {
        return false;
      }
      into.operation = itsOperation;
      into.revision = itsRevision;
      into.state = AnswerState.of(state);
      into.leaseHigh = leaseHigh;
      into.leaseLow = leaseLow;
      into.hits = hits;
      into.error = ErrorCode.of(error);
      into.detail = detail;
      return true;
    }
    return false;
  }

  /** Unmaps the board. Idempotent. */
  @Override
  public void close() {
    memory.close();
  }
}
