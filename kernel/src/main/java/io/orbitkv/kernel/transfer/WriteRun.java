package io.orbitkv.kernel.transfer;

import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.kernel.residency.Residency;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Pages of one group that follow one another and are asked for together: all of them were asked for
 * before, or none. Dispatcher.
 */
final class WriteRun {
  private static final int FIRST_PAGES = 8;

  private final long id;
  private final Instance instance;
  private final int group;
  private final int domain;
  private final long pageBytes;
  private final boolean used;
  private final long parentHigh;
  private final long parentLow;
  private final @Nullable WriteRun behind;
  private final WriteBatch batch;
  private final List<WriteRun> followers = new ArrayList<>(0);
  private int[] numbers = new int[FIRST_PAGES];
  private long[] keys = new long[2 * FIRST_PAGES];
  private int size;

  /**
   * @param used whether somebody asked for its pages before
   * @param parentHigh first half of the key before its first page; both halves 0 for none
   * @param parentLow second half
   * @param behind the run in question that it follows, or null
   * @param batch in which its pages are waited for
   */
  WriteRun(
      long id,
      Instance instance,
      int group,
      int domain,
      long pageBytes,
      boolean used,
      long parentHigh,
      long parentLow,
      @Nullable WriteRun behind,
      WriteBatch batch) {
    this.id = id;
    this.instance = instance;
    this.group = group;
    this.domain = domain;
    this.pageBytes = pageBytes;
    this.used = used;
    this.parentHigh = parentHigh;
    this.parentLow = parentLow;
    this.behind = behind;
    this.batch = batch;
  }

  /**
   * Whether a page with this predecessor can be appended.
   *
   * @param wasUsed whether somebody asked for the page before
   */
  boolean continuesWith(
      Instance ofInstance, int ofGroup, boolean wasUsed, long beforeHigh, long beforeLow) {
    return instance == ofInstance
        && group == ofGroup
        && used == wasUsed
        && keys[2 * size - 2] == beforeHigh
        && keys[2 * size - 1] == beforeLow;
  }

  void add(int number, long keyHigh, long keyLow) {
    if (size == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * size);
      keys = Arrays.copyOf(keys, 4 * size);
    }
    numbers[size] = number;
    keys[2 * size] = keyHigh;
    keys[2 * size + 1] = keyLow;
    size++;
  }

  long id() {
    return id;
  }

  /** Its name for policies: that of its first page. */
  long chain() {
    return PageIds.of(keys[0], keys[1]);
  }

  Instance instance() {
    return instance;
  }

  int group() {
    return group;
  }

  int domain() {
    return domain;
  }

  long pageBytes() {
    return pageBytes;
  }

  @Nullable WriteRun behind() {
    return behind;
  }

  WriteBatch batch() {
    return batch;
  }

  /** Runs that wait for this one's answer. */
  List<WriteRun> followers() {
    return followers;
  }

  int size() {
    return size;
  }

  /** The keys of its pages, and room behind them. */
  long[] keys() {
    return keys;
  }

  int number(int index) {
    return numbers[index];
  }

  long keyHigh(int index) {
    return keys[2 * index];
  }

  long keyLow(int index) {
    return keys[2 * index + 1];
  }

  long parentHigh(int index) {
    return index == 0 ? parentHigh : keyHigh(index - 1);
  }

  long parentLow(int index) {
    return index == 0 ? parentLow : keyLow(index - 1);
  }

  /** Whether a page number still names the page at an index. */
  boolean is(int index, Residency residency, int number) {
    return residency.domain(number) == domain
        && residency.keyHigh(number) == keyHigh(index)
        && residency.keyLow(number) == keyLow(index);
  }
}
