package io.orbitkv.manager.dispatch;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingUsage;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A backing tier with room for a few operations, which end when a test says so. */
final class FakeBackingTier implements BackingTier {
  private static final Namespace NAMESPACE = new Namespace("ab".repeat(32));

  final BlockingQueue<BackingRead> read = new LinkedBlockingQueue<>();
  final BlockingQueue<BackingWrite> written = new LinkedBlockingQueue<>();
  final List<Long> raised = new CopyOnWriteArrayList<>();
  final BlockingQueue<String> asked = new LinkedBlockingQueue<>();
  final BlockingQueue<List<StoredKey>> scored = new LinkedBlockingQueue<>();
  volatile long writeBudgetLeftBytes = BackingUsage.UNLIMITED;
  final AtomicInteger room = new AtomicInteger(Integer.MAX_VALUE);
  volatile @Nullable RuntimeException failure;
  volatile int liesAbout;
  private volatile @Nullable StoredKey recovered;
  private volatile long recoveredBytes;
  private volatile @Nullable Listener listener;

  static StoredKey key(long number) {
    return new StoredKey(NAMESPACE, 0, new PageKey(number, number));
  }

  void recovers(StoredKey key, long bytes) {
    recovered = key;
    recoveredBytes = bytes;
  }

  Listener listener() {
    Listener present = listener;
    if (present == null) {
      throw new AssertionError("not started");
    }
    return present;
  }

  @Override
  public void start(Listener told) {
    listener = told;
    StoredKey key = recovered;
    if (key != null) {
      told.stored(key, recoveredBytes);
    }
  }

  @Override
  public int read(List<BackingRead> reads) {
    int taken = taken(reads.size());
    read.addAll(reads.subList(0, taken));
    return taken + liesAbout;
  }

  @Override
  public int write(List<BackingWrite> writes) {
    int taken = taken(writes.size());
    written.addAll(writes.subList(0, taken));
    return taken + liesAbout;
  }

  @Override
  public void score(List<StoredKey> keys, long[] scores) {
    RuntimeException planted = failure;
    if (planted != null) {
      throw planted;
    }
    scored.add(keys);
  }

  private int taken(int offered) {
    RuntimeException planted = failure;
    if (planted != null) {
      throw planted;
    }
    int left = room.get();
    int taken = Math.min(left, offered);
    room.set(left - taken);
    return taken;
  }

  @Override
  public void raise(long ticket) {
    raised.add(ticket);
    RuntimeException planted = failure;
    if (planted != null) {
      throw planted;
    }
  }

  @Override
  public void evict(long ticket, StoredKey key) {}

  @Override
  public void evictAll(long ticket) {
    ask("empty " + ticket);
  }

  @Override
  public void keep(long ticket, Namespace scope, List<Namespace> kept) {
    ask("keep " + ticket + " " + kept.size());
  }

  @Override
  public void flush(long ticket) {
    ask("flush " + ticket);
  }

  private void ask(String request) {
    RuntimeException planted = failure;
    if (planted != null) {
      throw planted;
    }
    asked.add(request);
  }

  @Override
  public BackingUsage usage() {
    return new BackingUsage("fake", 1 << 20, 4096, 1, 0, 0, 0, 0, writeBudgetLeftBytes, "");
  }

  @Override
  public void close() {}
}
