package io.orbitkv.wire;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;

/**
 * The Manager's side of one session's status board. Whoever else opens the memory can only read it:
 * it is sealed against writing, growing and shrinking, and against further seals. {@link #write}
 * and {@link #close} belong to one thread, or are ordered otherwise.
 */
public final class StatusBoardWriter implements AutoCloseable {
  private static final int SEALS =
      SealedMemory.SEAL_SHRINK | SealedMemory.SEAL_GROW | SealedMemory.SEAL_FUTURE_WRITE;

  private final SealedMemory memory;
  private final MemorySegment board;
  private final long epoch;
  private final int records;

  private StatusBoardWriter(SealedMemory memory, long epoch, int records) {
    this.memory = memory;
    this.board = memory.segment();
    this.epoch = epoch;
    this.records = records;
  }

  /**
   * Makes a board.
   *
   * @param epoch of the Manager, not 0
   * @param records number of records, 1 to 65,536
   * @throws IOException with the system's reason
   */
  public static StatusBoardWriter create(long epoch, int records) throws IOException {
    if (records < 1 || records > BoardLayout.MAX_RECORDS) {
      throw new IllegalArgumentException(
          "board of [" + records + "] records: must be 1.." + BoardLayout.MAX_RECORDS);
    }
    SealedMemory memory =
        SealedMemory.create(
            "orbitkv-board", BoardLayout.bytes(records), SEALS | SealedMemory.SEAL_SEAL);
    MemorySegment header = memory.segment();
    header.set(BoardLayout.INT, BoardLayout.HEADER_VERSION, BoardLayout.VERSION);
    header.set(BoardLayout.INT, BoardLayout.HEADER_RECORD_BYTES, BoardLayout.RECORD_BYTES);
    header.set(BoardLayout.LONG, BoardLayout.HEADER_EPOCH, epoch);
    header.set(BoardLayout.INT, BoardLayout.HEADER_RECORDS, records);
    // Last, so that a board without its header is none.
    BoardLayout.SEQUENCES.setRelease(header, (long) BoardLayout.HEADER_MAGIC, BoardLayout.MAGIC);
    return new StatusBoardWriter(memory, epoch, records);
  }

  /** Where a client finds the board while this writer is open. */
  public ServerMessage.BoardLocation location() {
    return new ServerMessage.BoardLocation(
        ProcessHandle.current().pid(), memory.descriptor(), records);
  }

  /** Number of records. */
  public int records() {
    return records;
  }

  /**
   * Writes one record. A memory write; allocates nothing.
   *
   * @throws IndexOutOfBoundsException when there is no such record
   * @throws IllegalStateException after {@link #close}
   */
  public void write(
      int record,
      long operation,
      int revision,
      AnswerState state,
      LeaseId lease,
      int hits,
      ErrorCode error,
      long detail) {
    long at = BoardLayout.offset(Objects.checkIndex(record, records));
    long sequence = board.get(BoardLayout.LONG, at + BoardLayout.SEQUENCE);
    board.set(BoardLayout.LONG, at + BoardLayout.SEQUENCE, sequence + 1);
    VarHandle.storeStoreFence();
    board.set(BoardLayout.LONG, at + BoardLayout.OPERATION, operation);
    board.set(BoardLayout.INT, at + BoardLayout.REVISION, revision);
    board.set(BoardLayout.INT, at + BoardLayout.STATE, state.code());
    board.set(BoardLayout.LONG, at + BoardLayout.LEASE_HIGH, lease.high());
    board.set(BoardLayout.LONG, at + BoardLayout.LEASE_LOW, lease.low());
    board.set(BoardLayout.INT, at + BoardLayout.HITS, hits);
    board.set(BoardLayout.INT, at + BoardLayout.ERROR, error.code());
    board.set(BoardLayout.LONG, at + BoardLayout.EPOCH, epoch);
    board.set(BoardLayout.LONG, at + BoardLayout.DETAIL, detail);
    BoardLayout.SEQUENCES.setRelease(board, at + BoardLayout.SEQUENCE, sequence + 2);
  }

  /**
   * Unmaps the board and closes its descriptor; clients that have it open keep what was written.
   * Idempotent.
   */
  @Override
  public void close() {
    memory.close();
  }
}
