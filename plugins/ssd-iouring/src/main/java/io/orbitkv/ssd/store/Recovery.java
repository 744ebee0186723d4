package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.BlockFile;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds out what a store holds: per segment the footer of its pass, or else its headers one behind
 * the other until the first that does not match. Payloads are read only where a page has two
 * copies. It writes nothing itself: it says what is to be written, and doing it again, or after a
 * crash in the middle, says the same.
 */
final class Recovery {
  /** Records at least so long are not read along with their headers. */
  private static final int SKIP_BYTES = 64 << 10;

  private static final int READ_TRIES = 3;

  private final BlockFile file;
  private final Layout layout;
  private final Superblock superblock;
  private final StoreSettings settings;
  private final Catalog catalog;
  private final MemorySegment window;
  private final PageTable pages;
  private final Payloads payloads;

  private final List<Segment> unsealed = new ArrayList<>();
  private final List<Segment> damaged = new ArrayList<>();
  private final LongQueue dead = new LongQueue();
  private RecoveredKills kills = new RecoveredKills(0, 0, 0, 0, 0, false, false);
  private long windowStart;
  private long windowEnd;
  private int damagedRecords;
  private long olderCopies;
  private long evictedCopies;
  private long foreignPages;
  private long killLogPages;

  /**
   * @param window memory to read into, aligned, some hundred blocks at least
   */
  Recovery(
      BlockFile file,
      Layout layout,
      Superblock superblock,
      StoreSettings settings,
      Catalog catalog,
      MemorySegment window) {
    this.file = file;
    this.layout = layout;
    this.superblock = superblock;
    this.settings = settings;
    this.catalog = catalog;
    this.window = window.asSlice(0, window.byteSize() - Payloads.WINDOW_BYTES);
    this.payloads =
        new Payloads(
            file, layout.blockBytes(), window.asSlice(window.byteSize() - Payloads.WINDOW_BYTES));
    this.pages = catalog.pages;
  }

  /**
   * Reads everything.
   *
   * @param fresh whether the store was made a moment ago
   */
  void run(boolean fresh) {
    List<Segment> used = new ArrayList<>();
    for (Segment segment : catalog.segments) {
      if (readHeader(segment)) {
        used.add(segment);
      }
    }
    kills = new KillLogReader(layout, superblock, fresh, catalog.segments).read(file, window);
    for (Segment segment : used) {
      if (!readFooter(segment)) {
        walk(segment);
      }
    }
    for (Segment segment : used) {
      if (segment.pages == 0) {
        segment.state = Segment.State.FREE;
      } else if (segment.state == Segment.State.FREE) {
        unsealed.add(segment);
      }
    }
    if (kills.hasHole()) {
      // Which records are dead cannot be told, so none may come back.
      killLogPages = catalog.findable();
      used.removeAll(damaged);
      used.forEach(this::drop);
      unsealed.clear();
      damaged.addAll(used);
    }
  }

  private void drop(Segment segment) {
    while (segment.firstPage != PageTable.NONE) {
      catalog.remove(segment.firstPage, true);
    }
    segment.state = Segment.State.FREE;
  }

  /** Whether the segment has a header of this store. */
  private boolean readHeader(Segment segment) {
    if (!read(layout.segment(segment.number), window, layout.blockBytes())) {
      damaged.add(segment);
      return false;
    }
    SegmentHeader header =
        SegmentHeader.decode(window, 0, superblock.store(), segment.number, layout.blockBytes());
    if (header == null) {
      if (!Blocks.isZero(window, 0, layout.blockBytes())) {
        damaged.add(segment);
      }
      return false;
    }
    segment.pass = header.pass();
    segment.mountEpoch = header.mountEpoch();
    return true;
  }

  // ---- footers ---------------------------------------------------------------------------------

  private boolean readFooter(Segment segment) {
    int blockBytes = layout.blockBytes();
    long end = layout.segment(segment.number) + layout.segmentBytes();
    if (!read(end - blockBytes, window, blockBytes)) {
      return false;
    }
    int records = Footer.records(window, 0, superblock.store(), segment.header(), blockBytes);
    if (records < 0 || records > layout.segmentBlocks() / 2) {
      return false;
    }
    long body = (long) (Footer.blocks(records, blockBytes) - 1) * blockBytes;
    MemorySegment entries = window.asSlice(blockBytes);
    if (body > 0 && !read(end - blockBytes - body, entries, body)) {
      return false;
    }
    if (!Footer.isWhole(window, blockBytes, body, 0)) {
      return false;
    }
    // The data was durable before the footer.
    segment.state = Segment.State.SEALED;
    for (int i = 0; i < records; i++) {
      long at = (long) i * Footer.ENTRY_BYTES;
      int page = pages.allocate();
      catalog.setNamespace(page, Footer.namespace(entries, at, catalog.namespaces));
      Footer.fill(entries, at, pages, page);
      enter(page, segment, Footer.block(entries, at));
    }
    return true;
  }

  // ---- walking ---------------------------------------------------------------------------------

  /** What cannot be read ends the walk: the footer that follows it makes that final. */
  private void walk(Segment segment) {
    int blockBytes = layout.blockBytes();
    windowStart = 0;
    windowEnd = 0;
    int block = 1;
    int blocks = 0;
    // Behind each record there was room for a footer of one.
    while (block + 1 < layout.segmentBlocks()) {
      long offset = layout.offset(segment.number, block);
      long at = header(offset, (long) blocks * blockBytes, segment);
      Place place = new Place(segment.mountEpoch, segment.pass, offset);
      if (at < 0 || !RecordHeader.isOf(window, at, blockBytes, superblock.store(), place)) {
        if (at < 0 || RecordHeader.isDamaged(window, at, blockBytes, superblock.store(), place)) {
          damagedRecords++;
        }
        if (at < 0 && segment.pages == 0) {
          // Without a footer the next opening could find what this one did not.
          damaged.add(segment);
        }
        break;
      }
      blocks = RecordHeader.blocks(window, at);
      if (blocks < 2 || blocks > layout.segmentBlocks() - block) {
        break;
      }
      int page = pages.allocate();
      catalog.setNamespace(page, RecordHeader.namespace(window, at, catalog.namespaces));
      RecordHeader.fill(window, at, pages, page);
      enter(page, segment, block);
      block += blocks;
    }
    segment.nextBlock = block;
  }

  /** Tries more than once: a segment whose header cannot be read is lost as a whole. */
  private boolean read(long offset, MemorySegment into, long bytes) {
    for (int i = 0; i < READ_TRIES; i++) {
      try {
        file.read(offset, into.address(), bytes);
        return true;
      } catch (IOException unreadable) {
        // Counted by what becomes of it.
      }
    }
    return false;
  }

  /**
   * Where in the window the header at an offset is, read together with others if those are near; -1
   * when it cannot be read.
   */
  private long header(long offset, long formerRecordBytes, Segment segment) {
    int blockBytes = layout.blockBytes();
    if (offset < windowStart || offset + blockBytes > windowEnd) {
      long end = layout.segment(segment.number) + layout.segmentBytes();
      long bytes =
          formerRecordBytes >= SKIP_BYTES
              ? blockBytes
              : Math.min(window.byteSize() / blockBytes * blockBytes, end - offset);
      if (!read(offset, window, bytes)) {
        // What is behind the header may be all that cannot be read.
        bytes = blockBytes;
        if (!read(offset, window, bytes)) {
          windowEnd = 0;
          return -1;
        }
      }
      windowStart = offset;
      windowEnd = offset + bytes;
    }
    return offset - windowStart;
  }

  // ---- pages -----------------------------------------------------------------------------------

  private void enter(int page, Segment segment, int block) {
    if (segment.isKilled(block)) {
      evictedCopies++;
      catalog.discard(page);
      return;
    }
    int shard =
        Mix.shard(pages.group(page), pages.keyHigh(page), pages.keyLow(page), settings.shards());
    if (shard != settings.shard()) {
      foreignPages++;
      kill(segment.number, block);
      catalog.discard(page);
      return;
    }
    int other = catalog.findLike(page);
    if (other != PageTable.NONE) {
      olderCopies++;
      if (isBetter(other, page, segment, block)) {
        kill(segment.number, block);
        catalog.discard(page);
        return;
      }
      kill(pages.segment(other), pages.block(other));
      catalog.remove(other, true);
    }
    catalog.addRecovered(page, segment, block);
  }

  /**
   * Whether of two copies of a page the one that was found first counts: the newer one, unless
   * there is nothing but its header, as when the power failed while the page was moved.
   */
  private boolean isBetter(int other, int page, Segment segment, int block) {
    return pages.generation(other) >= pages.generation(page)
        ? isThere(catalog.segment(other), pages.block(other), pages.blocks(other))
        : !isThere(segment, block, pages.blocks(page));
  }

  private boolean isThere(Segment segment, int block, int blocks) {
    return segment.state == Segment.State.SEALED
        || payloads.isIntact(layout.offset(segment.number, block), blocks);
  }

  private void kill(int segment, int block) {
    dead.add((long) segment << 32 | block);
  }

  // ---- results ---------------------------------------------------------------------------------

  RecoveredKills kills() {
    return kills;
  }

  /** Segments that were walked and hold pages: they need a footer. */
  List<Segment> unsealed() {
    return unsealed;
  }

  /** Segments that have to get a new header before anything else is written. */
  List<Segment> damaged() {
    return damaged;
  }

  /** Records that are dead and not in the kill log: segment in the upper half, block below. */
  LongQueue dead() {
    return dead;
  }

  StoreUsage.Start start(boolean formatted) {
    return new StoreUsage.Start(
        superblock.clean(),
        formatted,
        catalog.findable(),
        unsealed.size(),
        damaged.size(),
        damagedRecords,
        olderCopies,
        evictedCopies,
        foreignPages,
        killLogPages);
  }
}
