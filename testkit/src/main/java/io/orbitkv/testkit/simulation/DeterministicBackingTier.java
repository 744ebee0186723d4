package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A backing tier that keeps real bytes in memory and does one read and one write at a time, each in
 * its order (foreground reads first), so that what happens is told by its {@link BackingScript}
 * alone. Reads and writes have a thread each: one that a script holds up holds up nobody else.
 *
 * <p>It runs over real memory: start tests with native access for its module.
 */
public final class DeterministicBackingTier implements BackingTier {
  private final long capacityBytes;
  private final int mostQueued;
  private final BackingScript script;
  private final ThreadFactory factory;
  private final @Nullable Path file;
  private final List<Thread> threads = new ArrayList<>();

  // Guarded by this.
  private final Map<StoredKey, KeptPages.Page> pages = new LinkedHashMap<>();
  private final ArrayDeque<BackingRead> foreground = new ArrayDeque<>();
  private final ArrayDeque<BackingRead> speculative = new ArrayDeque<>();
  private final ArrayDeque<Runnable> writes = new ArrayDeque<>();
  private int queuedReads;
  private int queuedWrites;
  private long queuedReadBytes;
  private long queuedWriteBytes;
  private long usedBytes;
  private long writtenBytes;
  private boolean closed;
  private @Nullable Listener listener;

  /**
   * @param capacityBytes of payload; a write beyond it is {@link BackingStatus#FULL}
   * @param mostQueued reads, and writes, that are taken and not reported
   * @param script what becomes of operations
   * @param factory of the threads
   */
  public DeterministicBackingTier(
      long capacityBytes, int mostQueued, BackingScript script, ThreadFactory factory) {
    this(capacityBytes, mostQueued, script, factory, null);
  }

  /**
   * @param capacityBytes of payload; a write beyond it is {@link BackingStatus#FULL}
   * @param mostQueued reads, and writes, that are taken and not reported
   * @param script what becomes of operations
   * @param factory of the threads
   * @param file that keeps the pages from a close to the next start; null: they are gone then
   */
  public DeterministicBackingTier(
      long capacityBytes,
      int mostQueued,
      BackingScript script,
      ThreadFactory factory,
      @Nullable Path file) {
    this.file = file;
    this.capacityBytes = capacityBytes;
    this.mostQueued = mostQueued;
    this.script = script;
    this.factory = factory;
  }

  // ---- what the test controls ------------------------------------------------------------------

  /** Puts a page in before {@link #start}, which then reports it as recovered. */
  public synchronized void put(StoredKey key, byte[] payload) {
    keep(key, new KeptPages.Page(key.namespace(), payload.clone(), checksum(payload)));
  }

  /** Loses a page and tells so; nothing when it is not there. On this thread. */
  public void lose(StoredKey key) {
    if (remove(key)) {
      told().lost(key);
    }
  }

  /** Flips a bit of a stored page, which its next read finds. */
  public synchronized void damage(StoredKey key) {
    KeptPages.Page page = pages.get(key);
    if (page == null || page.bytes().length == 0) {
      throw new IllegalArgumentException("page " + key + " is not stored");
    }
    page.bytes()[page.bytes().length / 2] ^= 1;
  }

  /** The stored pages, in the order in which they were stored. */
  public synchronized List<StoredKey> stored() {
    return List.copyOf(pages.keySet());
  }

  // ---- the contract ----------------------------------------------------------------------------

  @Override
  public void start(Listener told) {
    Map<StoredKey, KeptPages.Page> recovered;
    synchronized (this) {
      if (listener != null) {
        throw new IllegalStateException("started already");
      }
      listener = told;
      if (file != null) {
        KeptPages.read(file).forEach(this::keep);
      }
      recovered = new LinkedHashMap<>(pages);
      threads.add(factory.newThread(this::runReads));
      threads.add(factory.newThread(this::runWrites));
    }
    recovered.forEach((key, page) -> told.stored(key, page.bytes().length));
    threads.forEach(Thread::start);
  }

  @Override
  public synchronized int read(List<BackingRead> reads) {
    int taken = Math.min(reads.size(), mostQueued - queuedReads);
    for (BackingRead read : reads.subList(0, taken)) {
      (read.speculative() ? speculative : foreground).add(read);
      queuedReads++;
      queuedReadBytes += payloadBytes(read.runs());
    }
    notifyAll();
    return taken;
  }

  @Override
  public synchronized void raise(long ticket) {
    Iterator<BackingRead> all = speculative.iterator();
    while (all.hasNext()) {
      BackingRead read = all.next();
      if (read.ticket() == ticket) {
        all.remove();
        foreground.add(read);
        return;
      }
    }
  }

  @Override
  public synchronized int write(List<BackingWrite> offered) {
    int taken = Math.min(offered.size(), mostQueued - queuedWrites);
    for (BackingWrite write : offered.subList(0, taken)) {
      writes.add(() -> carryOut(write));
      queuedWrites++;
      queuedWriteBytes += payloadBytes(write.runs());
    }
    notifyAll();
    return taken;
  }

  @Override
  public synchronized void evict(long ticket, StoredKey key) {
    writes.add(() -> {
      remove(key);
      told().evicted(ticket);
    });
    notifyAll();
  }

  @Override
  public synchronized void evictAll(long ticket) {
    writes.add(() -> {
      long gone = stored().stream().filter(this::remove).count();
      told().forgotten(ticket, BackingStatus.DONE, gone);
    });
    notifyAll();
  }

  @Override
  public synchronized void keep(long ticket, Namespace scope, List<Namespace> kept) {
    writes.add(() -> {
      List<StoredKey> gone = ofOtherGeometry(scope, kept);
      gone.forEach(this::lose);
      told().forgotten(ticket, BackingStatus.DONE, gone.size());
    });
    notifyAll();
  }

  private synchronized List<StoredKey> ofOtherGeometry(Namespace scope, List<Namespace> kept) {
    List<StoredKey> others = new ArrayList<>();
    pages.forEach((key, page) -> {
      if (page.scope().equals(scope) && !kept.contains(key.namespace())) {
        others.add(key);
      }
    });
    return others;
  }

  @Override
  public synchronized void flush(long ticket) {
    writes.add(() -> told().flushed(ticket, BackingStatus.DONE));
    notifyAll();
  }

  @Override
  public synchronized BackingUsage usage() {
    return new BackingUsage(
        "memory",
        capacityBytes,
        usedBytes,
        pages.size(),
        queuedReadBytes,
        queuedWriteBytes,
        writtenBytes,
        writtenBytes,
        BackingUsage.UNLIMITED,
        "");
  }

  /**
   * @throws AssertionError when an operation has no report
   */
  @Override
  public void close() {
    synchronized (this) {
      if (queuedReads > 0 || queuedWrites > 0) {
        throw new AssertionError(
            "the tier is closed under [" + queuedReads + "] reads, [" + queuedWrites + "] writes");
      }
      closed = true;
      notifyAll();
    }
    boolean interrupted = false;
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException again) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    keepForTheNextStart();
  }

  private synchronized void keepForTheNextStart() {
    // One that was never started has read nothing, and must not write over what is there.
    if (file != null && listener != null) {
      KeptPages.write(file, pages);
    }
  }

  // ---- reads -----------------------------------------------------------------------------------

  private void runReads() {
    for (BackingRead read = nextRead(); read != null; read = nextRead()) {
      carryOut(read);
    }
  }

  private synchronized @Nullable BackingRead nextRead() {
    awaitWork(() -> !foreground.isEmpty() || !speculative.isEmpty());
    return foreground.isEmpty() ? speculative.poll() : foreground.poll();
  }

  private void carryOut(BackingRead read) {
    BackingStatus status = planned(() -> script.read(read));
    KeptPages.Page page;
    synchronized (this) {
      page = pages.get(read.key());
    }
    BackingStatus end =
        switch (status) {
          case DONE -> page == null ? BackingStatus.ABSENT : serve(read, page);
          case SHORT -> {
            if (page != null) {
              move(page.bytes(), page.bytes().length / 2, read.runs());
            }
            yield BackingStatus.SHORT;
          }
          case CORRUPT -> {
            if (page != null) {
              move(inverted(page.bytes()), page.bytes().length, read.runs());
            }
            yield BackingStatus.CORRUPT;
          }
          case ABSENT, FULL, DEVICE_ERROR, UNKNOWN -> status;
        };
    if (end == BackingStatus.CORRUPT || end == BackingStatus.ABSENT) {
      lose(read.key());
    }
    synchronized (this) {
      queuedReads--;
      queuedReadBytes -= payloadBytes(read.runs());
    }
    told().readDone(read.ticket(), end);
  }

  private static BackingStatus serve(BackingRead read, KeptPages.Page page) {
    if (payloadBytes(read.runs()) != page.bytes().length) {
      return BackingStatus.SHORT;
    }
    // The bytes move first, as they do from a disk: whoever uses them before the report is wrong.
    move(page.bytes(), page.bytes().length, read.runs());
    return checksum(page.bytes()) == page.checksum() ? BackingStatus.DONE : BackingStatus.CORRUPT;
  }

  private static void move(byte[] bytes, int count, List<HostRun> runs) {
    int at = 0;
    for (HostRun run : runs) {
      int part = (int) Math.min(run.payloadBytes(), count - at);
      MemorySegment.copy(bytes, at, segment(run), ValueLayout.JAVA_BYTE, 0, part);
      at += part;
    }
  }

  // ---- writes ----------------------------------------------------------------------------------

  private void runWrites() {
    for (Runnable work = nextWrite(); work != null; work = nextWrite()) {
      work.run();
    }
  }

  private synchronized @Nullable Runnable nextWrite() {
    awaitWork(() -> !writes.isEmpty());
    return writes.poll();
  }

  private void carryOut(BackingWrite write) {
    BackingStatus end = planned(() -> script.write(write));
    byte[] bytes = bytes(write.runs());
    boolean stored = false;
    if (end == BackingStatus.DONE && checksum(bytes) != write.checksum()) {
      end = BackingStatus.CORRUPT;
    }
    synchronized (this) {
      if (end == BackingStatus.DONE) {
        KeptPages.Page old = pages.get(write.key());
        long after = usedBytes + bytes.length - (old == null ? 0 : old.bytes().length);
        stored = after <= capacityBytes;
        end = stored ? BackingStatus.DONE : BackingStatus.FULL;
      }
      if (stored) {
        writtenBytes += bytes.length;
        keep(write.key(), new KeptPages.Page(write.scope(), bytes, write.checksum()));
      }
      queuedWrites--;
      queuedWriteBytes -= bytes.length;
    }
    if (stored) {
      told().stored(write.key(), bytes.length);
    }
    told().writeDone(write.ticket(), end);
  }

  private static byte[] bytes(List<HostRun> runs) {
    byte[] bytes = new byte[Math.toIntExact(payloadBytes(runs))];
    int at = 0;
    for (HostRun run : runs) {
      int part = (int) run.payloadBytes();
      MemorySegment.copy(segment(run), ValueLayout.JAVA_BYTE, 0, bytes, at, part);
      at += part;
    }
    return bytes;
  }

  // ---- inside ----------------------------------------------------------------------------------

  /** A script that fails must not leave an operation without its report. */
  private static BackingStatus planned(Supplier<BackingStatus> question) {
    try {
      return question.get();
    } catch (RuntimeException | AssertionError failed) {
      return BackingStatus.DEVICE_ERROR;
    }
  }

  /** The caller holds the lock. */
  private void keep(StoredKey key, KeptPages.Page page) {
    KeptPages.Page old = pages.remove(key);
    usedBytes += page.bytes().length - (old == null ? 0 : old.bytes().length);
    pages.put(key, page);
  }

  private synchronized boolean remove(StoredKey key) {
    KeptPages.Page page = pages.remove(key);
    if (page != null) {
      usedBytes -= page.bytes().length;
    }
    return page != null;
  }

  private Listener told() {
    Listener present;
    synchronized (this) {
      present = listener;
    }
    if (present == null) {
      throw new IllegalStateException("not started");
    }
    return present;
  }

  /** The caller holds the lock. Returns without work when the thread is to end. */
  private void awaitWork(BooleanSupplier there) {
    while (!closed && !there.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
        return;
      }
    }
  }

  private static byte[] inverted(byte[] bytes) {
    byte[] wrong = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      wrong[i] = (byte) ~bytes[i];
    }
    return wrong;
  }

  private static int checksum(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes);
    return (int) checksum.getValue();
  }

  private static long payloadBytes(List<HostRun> runs) {
    return runs.stream().mapToLong(HostRun::payloadBytes).sum();
  }

  @SuppressWarnings("restricted") // Runs belong to the operation until its report.
  private static MemorySegment segment(HostRun run) {
    return MemorySegment.ofAddress(run.address()).reinterpret(run.payloadBytes());
  }
}
