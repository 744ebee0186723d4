package io.orbitkv.ssd.store;

import java.lang.foreign.MemorySegment;

/**
 * The index of a segment, at its end: entries, and after them one closing block, the segment's
 * last. It holds the records that counted when the segment was sealed and so makes their set final.
 */
final class Footer {
  static final int ENTRY_BYTES = 112;

  private static final long MAGIC = Blocks.magic("OrbitKVf");
  private static final int RECORDS = 44;
  private static final int BODY_CRC = 48;

  private Footer() {}

  /** Blocks of a footer of so many records. */
  static int blocks(int records, int blockBytes) {
    return 1 + Math.ceilDiv(records * ENTRY_BYTES, blockBytes);
  }

  /** Writes one entry and returns where the next goes. */
  static long putEntry(
      MemorySegment memory, long at, PageTable pages, int page, Namespaces namespaces) {
    memory.set(Blocks.LONG, at, pages.keyHigh(page));
    memory.set(Blocks.LONG, at + 8, pages.keyLow(page));
    namespaces.put(pages.namespace(page), memory, at + 16);
    memory.set(Blocks.LONG, at + 80, pages.generation(page));
    memory.set(Blocks.INT, at + 88, pages.group(page));
    memory.set(Blocks.INT, at + 92, pages.block(page));
    memory.set(Blocks.INT, at + 96, pages.blocks(page));
    memory.set(Blocks.INT, at + 100, pages.payloadBytes(page));
    memory.set(Blocks.INT, at + 104, pages.layout(page));
    memory.set(Blocks.INT, at + 108, 0);
    return at + ENTRY_BYTES;
  }

  /** The namespace of an entry, interned. */
  static int namespace(MemorySegment memory, long at, Namespaces namespaces) {
    return namespaces.intern(memory, at + 16);
  }

  static int block(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + 92);
  }

  /** Sets what the table keeps of a page, except its place. */
  static void fill(MemorySegment memory, long at, PageTable pages, int page) {
    pages.setIdentity(
        page,
        memory.get(Blocks.INT, at + 88),
        memory.get(Blocks.LONG, at),
        memory.get(Blocks.LONG, at + 8));
    pages.setShape(
        page,
        memory.get(Blocks.INT, at + 96),
        memory.get(Blocks.INT, at + 100),
        memory.get(Blocks.INT, at + 104));
    pages.setGeneration(page, memory.get(Blocks.LONG, at + 80));
  }

  /** Closes a footer whose entries lie at {@code at}, in whole blocks. */
  static void close(
      MemorySegment memory,
      long at,
      int records,
      Identity store,
      SegmentHeader segment,
      int blockBytes) {
    long body = (long) (blocks(records, blockBytes) - 1) * blockBytes;
    long last = at + body;
    Blocks.clear(memory, last, blockBytes);
    memory.set(Blocks.LONG, last, MAGIC);
    memory.set(Blocks.LONG, last + 8, store.high());
    memory.set(Blocks.LONG, last + 16, store.low());
    memory.set(Blocks.LONG, last + 24, segment.mountEpoch());
    memory.set(Blocks.LONG, last + 32, segment.pass());
    memory.set(Blocks.INT, last + 40, segment.segment());
    memory.set(Blocks.INT, last + RECORDS, records);
    memory.set(Blocks.INT, last + BODY_CRC, Blocks.crc(memory, at, body));
    Blocks.seal(memory, last, blockBytes);
  }

  /** Records of the footer whose last block lies here; -1 when it is not one of this pass. */
  static int records(
      MemorySegment memory, long last, Identity store, SegmentHeader segment, int blockBytes) {
    if (memory.get(Blocks.LONG, last) != MAGIC
        || memory.get(Blocks.LONG, last + 8) != store.high()
        || memory.get(Blocks.LONG, last + 16) != store.low()
        || memory.get(Blocks.LONG, last + 24) != segment.mountEpoch()
        || memory.get(Blocks.LONG, last + 32) != segment.pass()
        || memory.get(Blocks.INT, last + 40) != segment.segment()
        || !Blocks.isSealed(memory, last, blockBytes)) {
      return -1;
    }
    return memory.get(Blocks.INT, last + RECORDS);
  }

  /** Whether the entries, which lie at {@code at}, are those of the closing block. */
  static boolean isWhole(MemorySegment memory, long at, long body, long last) {
    return memory.get(Blocks.INT, last + BODY_CRC) == Blocks.crc(memory, at, body);
  }
}
