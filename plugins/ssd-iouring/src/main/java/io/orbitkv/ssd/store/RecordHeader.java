package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * The block before the runs of a page: everything that says whose bytes follow. It is read and
 * written in place; nothing is made of it.
 */
final class RecordHeader {
  private static final long MAGIC = Blocks.magic("OrbitKVr");

  private static final int STORE_HIGH = 8;
  private static final int STORE_LOW = 16;
  private static final int MOUNT_EPOCH = 24;
  private static final int PASS = 32;
  private static final int OFFSET = 40;
  private static final int GENERATION = 48;
  private static final int KEY_HIGH = 56;
  private static final int KEY_LOW = 64;
  private static final int NAMESPACE = 72;
  private static final int GROUP = 136;
  private static final int CHECKSUM = 140;
  private static final int PAYLOAD = 144;
  private static final int BLOCKS = 148;
  private static final int LAYOUT = 152;
  private static final int RUNS = 156;
  private static final int FIRST_RUN = 160;
  private static final int RUN_BYTES = 16;

  private RecordHeader() {}

  /** Runs that fit into the header. */
  static int mostRuns(int blockBytes) {
    return (blockBytes - FIRST_RUN - Integer.BYTES) / RUN_BYTES;
  }

  /** A digest of the shape of a page: lengths and their order. */
  static int layout(List<HostRun> runs) {
    long digest = runs.size();
    for (HostRun run : runs) {
      digest = (digest * 31 + run.payloadBytes()) * 0x9E3779B97F4A7C15L + run.runBytes();
      digest ^= digest >>> 29;
    }
    return (int) (digest ^ digest >>> 32);
  }

  static void encode(
      MemorySegment memory,
      long at,
      int blockBytes,
      Identity store,
      Place place,
      PageTable pages,
      int page,
      Namespaces namespaces,
      List<HostRun> runs,
      int checksum) {
    Blocks.clear(memory, at, blockBytes);
    memory.set(Blocks.LONG, at, MAGIC);
    memory.set(Blocks.LONG, at + STORE_HIGH, store.high());
    memory.set(Blocks.LONG, at + STORE_LOW, store.low());
    memory.set(Blocks.LONG, at + MOUNT_EPOCH, place.mountEpoch());
    memory.set(Blocks.LONG, at + PASS, place.pass());
    memory.set(Blocks.LONG, at + OFFSET, place.offset());
    memory.set(Blocks.LONG, at + GENERATION, pages.generation(page));
    memory.set(Blocks.LONG, at + KEY_HIGH, pages.keyHigh(page));
    memory.set(Blocks.LONG, at + KEY_LOW, pages.keyLow(page));
    namespaces.put(pages.namespace(page), memory, at + NAMESPACE);
    memory.set(Blocks.INT, at + GROUP, pages.group(page));
    memory.set(Blocks.INT, at + CHECKSUM, checksum);
    memory.set(Blocks.INT, at + PAYLOAD, pages.payloadBytes(page));
    memory.set(Blocks.INT, at + BLOCKS, pages.blocks(page));
    memory.set(Blocks.INT, at + LAYOUT, pages.layout(page));
    memory.set(Blocks.INT, at + RUNS, runs.size());
    long run = at + FIRST_RUN;
    for (HostRun each : runs) {
      memory.set(Blocks.LONG, run, each.payloadBytes());
      memory.set(Blocks.LONG, run + Long.BYTES, each.runBytes());
      run += RUN_BYTES;
    }
    Blocks.seal(memory, at, blockBytes);
  }

  /** Whether the block is an undamaged header that was written for this place. */
  static boolean isOf(MemorySegment memory, long at, int blockBytes, Identity store, Place place) {
    return memory.get(Blocks.LONG, at) == MAGIC
        && memory.get(Blocks.LONG, at + STORE_HIGH) == store.high()
        && memory.get(Blocks.LONG, at + STORE_LOW) == store.low()
        && memory.get(Blocks.LONG, at + MOUNT_EPOCH) == place.mountEpoch()
        && memory.get(Blocks.LONG, at + PASS) == place.pass()
        && memory.get(Blocks.LONG, at + OFFSET) == place.offset()
        && Blocks.isSealed(memory, at, blockBytes);
  }

  /**
   * Whether the block is a header for this place that was damaged or torn, and not what an earlier
   * pass left there, which is whole.
   */
  static boolean isDamaged(
      MemorySegment memory, long at, int blockBytes, Identity store, Place place) {
    int different =
        count(memory, at, MAGIC)
            + count(memory, at + STORE_HIGH, store.high())
            + count(memory, at + STORE_LOW, store.low())
            + count(memory, at + MOUNT_EPOCH, place.mountEpoch())
            + count(memory, at + PASS, place.pass())
            + count(memory, at + OFFSET, place.offset());
    return different <= 1 && !Blocks.isSealed(memory, at, blockBytes);
  }

  private static int count(MemorySegment memory, long at, long expected) {
    return memory.get(Blocks.LONG, at) == expected ? 0 : 1;
  }

  /** Whether a header is that of the page which the table has at its place. */
  static boolean describes(
      MemorySegment memory, long at, PageTable pages, int page, Namespaces namespaces) {
    return memory.get(Blocks.LONG, at + GENERATION) == pages.generation(page)
        && memory.get(Blocks.LONG, at + KEY_HIGH) == pages.keyHigh(page)
        && memory.get(Blocks.LONG, at + KEY_LOW) == pages.keyLow(page)
        && memory.get(Blocks.INT, at + GROUP) == pages.group(page)
        && memory.get(Blocks.INT, at + PAYLOAD) == pages.payloadBytes(page)
        && memory.get(Blocks.INT, at + BLOCKS) == pages.blocks(page)
        && memory.get(Blocks.INT, at + LAYOUT) == pages.layout(page)
        && namespaces.is(pages.namespace(page), memory, at + NAMESPACE);
  }

  /** Whether a header is that of a page, as it was written with a generation. */
  static boolean isOfPage(
      MemorySegment memory, long at, StoredKey key, long generation, Namespaces namespaces) {
    int namespace = namespaces.find(key.namespace());
    return namespace != Namespaces.NONE
        && memory.get(Blocks.LONG, at + GENERATION) == generation
        && memory.get(Blocks.LONG, at + KEY_HIGH) == key.key().high()
        && memory.get(Blocks.LONG, at + KEY_LOW) == key.key().low()
        && memory.get(Blocks.INT, at + GROUP) == key.group()
        && namespaces.is(namespace, memory, at + NAMESPACE);
  }

  /** Whether a header names exactly these lengths. */
  static boolean hasRuns(MemorySegment memory, long at, List<HostRun> runs) {
    if (memory.get(Blocks.INT, at + RUNS) != runs.size()) {
      return false;
    }
    long run = at + FIRST_RUN;
    for (HostRun each : runs) {
      if (memory.get(Blocks.LONG, run) != each.payloadBytes()
          || memory.get(Blocks.LONG, run + Long.BYTES) != each.runBytes()) {
        return false;
      }
      run += RUN_BYTES;
    }
    return true;
  }

  /** The runs of a header, as they lie one after another from an address on. */
  static List<HostRun> runs(MemorySegment memory, long at, long address) {
    HostRun[] runs = new HostRun[memory.get(Blocks.INT, at + RUNS)];
    long next = address;
    for (int i = 0; i < runs.length; i++) {
      long run = at + FIRST_RUN + (long) i * RUN_BYTES;
      long runBytes = memory.get(Blocks.LONG, run + Long.BYTES);
      runs[i] = new HostRun(next, memory.get(Blocks.LONG, run), runBytes);
      next += runBytes;
    }
    return List.of(runs);
  }

  static int checksum(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + CHECKSUM);
  }

  /** Blocks of the record, this header included. */
  static int blocks(MemorySegment memory, long at) {
    return memory.get(Blocks.INT, at + BLOCKS);
  }

  static int namespace(MemorySegment memory, long at, Namespaces namespaces) {
    return namespaces.intern(memory, at + NAMESPACE);
  }

  /** Sets what the table keeps of a page, except its place. */
  static void fill(MemorySegment memory, long at, PageTable pages, int page) {
    pages.setIdentity(
        page,
        memory.get(Blocks.INT, at + GROUP),
        memory.get(Blocks.LONG, at + KEY_HIGH),
        memory.get(Blocks.LONG, at + KEY_LOW));
    pages.setShape(
        page,
        memory.get(Blocks.INT, at + BLOCKS),
        memory.get(Blocks.INT, at + PAYLOAD),
        memory.get(Blocks.INT, at + LAYOUT));
    pages.setGeneration(page, memory.get(Blocks.LONG, at + GENERATION));
  }
}
