package io.orbitkv.client;

/**
 * The free records of one session's board. The Manager refuses an operation whose record is in use,
 * so a record comes back only after the message that frees it was sent: then every later user of it
 * is behind that message in the socket.
 */
final class BoardRecords {
  /** An operation without a record is answered over the socket. */
  static final int NONE = -1;

  private final int[] free;
  private final boolean[] taken;
  private int count;

  BoardRecords(int records) {
    free = new int[records];
    taken = new boolean[records];
    for (int i = 0; i < records; i++) {
      free[i] = records - 1 - i;
    }
    count = records;
  }

  /** A record, or {@link #NONE}. */
  synchronized int take() {
    if (count == 0) {
      return NONE;
    }
    int record = free[--count];
    taken[record] = true;
    return record;
  }

  /** Gives a record back; {@link #NONE} is ignored. */
  synchronized void give(int record) {
    if (record == NONE) {
      return;
    }
    if (!taken[record]) {
      throw new IllegalStateException("board record [" + record + "] is free already");
    }
    taken[record] = false;
    free[count++] = record;
  }

  synchronized int available() {
    return count;
  }
}
