package io.orbitkv.wire;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/*
 * The status board in memory, little-endian. A header of one record's size:
 *
 *   0 magic(8)  8 version(4)  12 bytes of a record(4)  16 epoch(8)
 *   24 number of records(4)  28.. zero
 *
 * and then the records of 64 bytes, one cache line each:
 *
 *   0 sequence(8)  8 operation(8)  16 revision(4)  20 state(4)  24 lease high(8)
 *   32 lease low(8)  40 hits(4)  44 error(4)  48 epoch(8)  56 detail(8)
 *
 * Writer: odd sequence, store-store fence, fields, release store of the next even sequence. The
 * fence is needed: release stores alone do not keep the fields behind the odd sequence. Reader:
 * acquire load of an even sequence, fields, load-load fence, the sequence again; equal means that
 * all fields belong together.
 */
final class BoardLayout {
  /** "ORBITKVB" as bytes. */
  static final long MAGIC = 0x42564B544942524FL;

  static final int VERSION = 1;
  static final int RECORD_BYTES = 64;
  static final int MAX_RECORDS = 1 << 16;

  static final int HEADER_MAGIC = 0;
  static final int HEADER_VERSION = 8;
  static final int HEADER_RECORD_BYTES = 12;
  static final int HEADER_EPOCH = 16;
  static final int HEADER_RECORDS = 24;

  static final int SEQUENCE = 0;
  static final int OPERATION = 8;
  static final int REVISION = 16;
  static final int STATE = 20;
  static final int LEASE_HIGH = 24;
  static final int LEASE_LOW = 32;
  static final int HITS = 40;
  static final int ERROR = 44;
  static final int EPOCH = 48;
  static final int DETAIL = 56;

  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG.withOrder(ByteOrder.LITTLE_ENDIAN);
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.LITTLE_ENDIAN);

  /** Access to a sequence by (segment, offset). */
  static final VarHandle SEQUENCES = LONG.varHandle();

  private BoardLayout() {}

  static long bytes(int records) {
    return (records + 1L) * RECORD_BYTES;
  }

  static long offset(int record) {
    return (record + 1L) * RECORD_BYTES;
  }
}
