package io.orbitkv.ssd.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.Transfer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32C;

/**
 * Owner and device of a store in one: transfers wait in {@link #queue} until the test has them
 * carried out, in any order and with any error; everything told is recorded.
 */
final class StoreDriver implements StoreOutbox {
  static final Namespace NAMESPACE = new Namespace("5a".repeat(32));

  final MemoryFile file;
  final List<Transfer> queue = new ArrayList<>();
  final List<PageCheck> checks = new ArrayList<>();
  final Map<StoredKey, Long> findable = new LinkedHashMap<>();
  final Map<Long, BackingStatus> reads = new HashMap<>();
  final Map<Long, BackingStatus> writes = new HashMap<>();
  final Map<Long, BackingStatus> flushes = new HashMap<>();
  final List<Long> evictions = new ArrayList<>();
  final List<StoredKey> lost = new ArrayList<>();
  final List<Transfer> raised = new ArrayList<>();
  final Arena arena = Arena.ofAuto();
  private final Map<Long, Page> reading = new HashMap<>();
  Store store;
  long lastTicket;

  /** A page in memory. */
  record Page(StoredKey key, List<HostRun> runs, MemorySegment memory, boolean isFilled) {
    Page(StoredKey key, List<HostRun> runs, MemorySegment memory) {
      this(key, runs, memory, false);
    }
  }

  @SuppressWarnings("NullAway.Init")
  private StoreDriver(MemoryFile file) {
    this.file = file;
  }

  static StoreDriver open(MemoryFile file) {
    return open(file, settings(file.bytes.length));
  }

  static StoreDriver open(MemoryFile file, StoreSettings settings) {
    try {
      return tryOpen(file, settings);
    } catch (IOException failed) {
      throw new AssertionError(failed);
    }
  }

  static StoreDriver tryOpen(MemoryFile file, StoreSettings settings) throws IOException {
    StoreDriver driver = new StoreDriver(file);
    driver.store = Store.open(file, settings, new Random(file.writes + 1), 0, driver);
    return driver;
  }

  static StoreSettings settings(long capacity) {
    return new StoreSettings(0, 1, capacity, 0, 1, 25, 0, 64, false);
  }

  /** What is on the device now, opened as after a kill of the process. */
  StoreDriver killAndOpen() {
    return open(file.copy());
  }

  StoreDriver closeAndOpen() {
    settle();
    assertThat(store.idle()).as("idle").isTrue();
    store.close();
    return open(file);
  }

  // ---- pages -----------------------------------------------------------------------------------

  static StoredKey key(long number) {
    return new StoredKey(NAMESPACE, 0, new PageKey(number + 1, ~number));
  }

  Page blank(StoredKey key, long... payloads) {
    long total = 0;
    for (long payload : payloads) {
      total += Blocks.roundUp(Math.max(1, payload), 4096);
    }
    MemorySegment memory = arena.allocate(total, 4096);
    List<HostRun> runs = new ArrayList<>();
    long at = 0;
    for (long payload : payloads) {
      long run = Blocks.roundUp(Math.max(1, payload), 4096);
      runs.add(new HostRun(memory.address() + at, payload, run));
      at += run;
    }
    return new Page(key, runs, memory, true);
  }

  /** A page whose bytes are a function of its key. */
  Page filled(StoredKey key, long... payloads) {
    Page page = blank(key, payloads);
    byte[] bytes = new byte[(int) page.memory.byteSize()];
    new Random(key.key().high() * 31 + key.group()).nextBytes(bytes);
    MemorySegment.copy(bytes, 0, page.memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
    return page;
  }

  static int checksum(List<HostRun> runs) {
    CRC32C crc = new CRC32C();
    for (HostRun run : runs) {
      if (run.payloadBytes() > 0) {
        crc.update(MemoryFile.memory(run.address(), run.payloadBytes()).asByteBuffer());
      }
    }
    return (int) crc.getValue();
  }

  // ---- operations ------------------------------------------------------------------------------

  long submitWrite(Page page) {
    return submitWrite(page, checksum(page.runs));
  }

  long submitWrite(Page page, int checksum) {
    long ticket = ++lastTicket;
    assertThat(store.write(new BackingWrite(ticket, page.key, page.runs, checksum))).isTrue();
    return ticket;
  }

  BackingStatus write(long number, long... payloads) {
    long ticket = submitWrite(filled(key(number), payloads));
    settle();
    return status(writes, ticket);
  }

  /** Offers a small page; the store may be full of writes. */
  void submitWriteIfAbsent(StoredKey key) {
    if (store.usage().writes() == 64) {
      settle();
    }
    submitWrite(filled(key, 1));
  }

  long submitRead(Page page, boolean speculative) {
    long ticket = ++lastTicket;
    reading.put(ticket, page);
    assertThat(store.read(new BackingRead(ticket, page.key, page.runs, speculative))).isTrue();
    return ticket;
  }

  BackingStatus read(long number, long... payloads) {
    return read(key(number), payloads);
  }

  /** Reads a page; what is served has the right bytes. */
  BackingStatus read(StoredKey key, long... payloads) {
    long ticket = submitRead(blank(key, payloads), false);
    settle();
    return status(reads, ticket);
  }

  void evict(StoredKey key) {
    long ticket = ++lastTicket;
    store.evict(ticket, key);
    settle();
    assertThat(evictions).contains(ticket);
  }

  BackingStatus flush() {
    long ticket = ++lastTicket;
    store.flush(ticket);
    settle();
    return status(flushes, ticket);
  }

  static BackingStatus status(Map<Long, BackingStatus> reports, long ticket) {
    BackingStatus status = reports.get(ticket);
    if (status == null) {
      throw new AssertionError("operation [" + ticket + "] has no report");
    }
    return status;
  }

  // ---- the device ------------------------------------------------------------------------------

  /** Carries out everything, in order, until nothing is left to do. */
  void settle() {
    do {
      settleButForSyncs();
      store.hurry();
    } while (!queue.isEmpty());
  }

  /** The same, but what waits in order to share a sync goes on waiting. */
  void settleButForSyncs() {
    while (!queue.isEmpty() || !checks.isEmpty()) {
      if (queue.isEmpty()) {
        check(0);
      } else {
        carryOut(queue.getFirst());
      }
    }
  }

  /** The transfer that was asked for first; what waits in order to share a sync waits no longer. */
  Transfer first() {
    if (queue.isEmpty()) {
      store.hurry();
    }
    return queue.getFirst();
  }

  void carryOut(Transfer transfer) {
    int error = 0;
    long offset = transfer.offset();
    try {
      for (Span span : transfer.spans()) {
        if (transfer.kind() == Transfer.Kind.WRITE) {
          file.write(offset, span.address(), span.bytes());
        } else {
          file.read(offset, span.address(), span.bytes());
        }
        offset += span.bytes();
      }
      if (transfer.kind() == Transfer.Kind.SYNC) {
        file.sync();
      }
    } catch (IOException failed) {
      error = 5;
    }
    end(transfer, error);
  }

  /** Ends a transfer without carrying it out. */
  void end(Transfer transfer, int error) {
    assertThat(queue.removeIf(each -> each == transfer)).as("under way").isTrue();
    store.completed(transfer, error);
  }

  void check(int index) {
    PageCheck check = checks.remove(index);
    store.checked(check.number(), checksum(check.runs()) == check.checksum());
  }

  List<Transfer> queued(Transfer.Kind kind) {
    return queue.stream().filter(each -> each.kind() == kind).toList();
  }

  // ---- what is told ----------------------------------------------------------------------------

  @Override
  public void transfer(Transfer transfer) {
    queue.add(transfer);
  }

  @Override
  public void raise(Transfer transfer) {
    raised.add(transfer);
  }

  @Override
  public void check(PageCheck check) {
    checks.add(check);
  }

  @Override
  public void stored(StoredKey key, long payloadBytes) {
    findable.put(key, payloadBytes);
  }

  @Override
  public void lost(StoredKey key) {
    findable.remove(key);
    lost.add(key);
  }

  @Override
  public void readDone(long ticket, BackingStatus status) {
    assertThat(reads.put(ticket, status)).as("earlier report").isNull();
    Page page = reading.remove(ticket);
    // A page of another making is looked at by its test.
    if (status == BackingStatus.DONE && page != null && page.isFilled) {
      long[] payloads = page.runs.stream().mapToLong(HostRun::payloadBytes).toArray();
      assertThat(checksum(page.runs))
          .as("bytes of page [%s]", page.key)
          .isEqualTo(checksum(filled(page.key, payloads).runs));
    }
  }

  @Override
  public void writeDone(long ticket, BackingStatus status) {
    assertThat(writes.put(ticket, status)).as("earlier report").isNull();
  }

  @Override
  public void evicted(long ticket) {
    assertThat(evictions).doesNotContain(ticket);
    evictions.add(ticket);
  }

  @Override
  public void forgotten(long ticket, BackingStatus status, long pages) {
    evictions.add(ticket);
  }

  @Override
  public void flushed(long ticket, BackingStatus status) {
    assertThat(flushes.put(ticket, status)).as("earlier report").isNull();
  }
}
