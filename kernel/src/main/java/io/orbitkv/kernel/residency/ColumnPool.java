package io.orbitkv.kernel.residency;

import io.orbitkv.kernel.policy.PageColumns;
import java.util.ArrayDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A bounded number of columns that go to policies and come back. Dispatcher, but that they come
 * back from any thread. What a policy that is stuck does not give back is missing from then on: the
 * next policy gets another pool.
 */
final class ColumnPool {
  private final int pages;
  private final int most;
  private final boolean named;
  private final Consumer<Batch> seen;
  private final ConcurrentLinkedQueue<Batch> returned = new ConcurrentLinkedQueue<>();
  private final ArrayDeque<Batch> free = new ArrayDeque<>();
  private int made;

  /**
   * @param pages of one batch
   * @param most batches
   * @param named whether the pages have no number, so that their keys are kept beside
   * @param seen hears of columns that came back, with what the policy has marked in them
   */
  ColumnPool(int pages, int most, boolean named, Consumer<Batch> seen) {
    this.pages = pages;
    this.most = most;
    this.named = named;
    this.seen = seen;
  }

  /**
   * Columns, and what the kernel alone has to know about their pages: the last use when they were
   * scored, the insertion, which tells whether a page is still the same, and who it is when it has
   * no number.
   */
  static final class Batch implements PageColumns.Home {
    private final ColumnPool pool;
    private final AtomicBoolean out = new AtomicBoolean();
    private final PageColumns columns;
    final long[] use;
    final int[] insertion;
    final int[] domain;
    final long[] keyHigh;
    final long[] keyLow;

    private Batch(ColumnPool pool) {
      this.pool = pool;
      columns = new PageColumns(pool.pages, this);
      use = new long[pool.pages];
      insertion = new int[pool.pages];
      int names = pool.named ? pool.pages : 0;
      domain = new int[names];
      keyHigh = new long[names];
      keyLow = new long[names];
    }

    PageColumns columns() {
      return columns;
    }

    /** Any thread. Giving columns back twice changes nothing. */
    @Override
    public void back(PageColumns given) {
      if (out.compareAndSet(true, false)) {
        pool.returned.add(this);
      }
    }
  }

  /** Looks at what came back. */
  void drain() {
    for (Batch batch = returned.poll(); batch != null; batch = returned.poll()) {
      seen.accept(batch);
      free.add(batch);
    }
  }

  /** Empty columns, or null when all of them are under way. */
  @Nullable Batch take() {
    drain();
    Batch batch = free.poll();
    if (batch == null && made < most) {
      made++;
      batch = new Batch(this);
    }
    if (batch != null) {
      batch.columns.clear();
      batch.out.set(true);
    }
    return batch;
  }

  /** Columns that the policy may still write to are never used again; others take their place. */
  void abandon(Batch batch) {
    batch.out.set(false);
    made--;
  }
}
