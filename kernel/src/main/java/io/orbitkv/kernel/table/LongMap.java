package io.orbitkv.kernel.table;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Map from {@code long} to objects by open addressing with backward-shift deletion. It boxes
 * nothing, and its iteration order depends on the keys and the order of the calls alone, so that a
 * run can be replayed.
 *
 * @param <V> values
 */
public final class LongMap<V> {
  private static final int INITIAL_CAPACITY = 8;
  private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;

  private long[] keys = new long[INITIAL_CAPACITY];
  private @Nullable V[] values = newArray(INITIAL_CAPACITY);
  private int size;

  /** The value of {@code key}, or null. */
  public @Nullable V get(long key) {
    int mask = keys.length - 1;
    for (int i = slot(key, mask); ; i = (i + 1) & mask) {
      V value = values[i];
      if (value == null || keys[i] == key) {
        return value;
      }
    }
  }

  /** Sets the value of {@code key} and returns the former one, or null. */
  public @Nullable V put(long key, V value) {
    if (size * 2 >= keys.length) {
      grow();
    }
    int mask = keys.length - 1;
    int i = slot(key, mask);
    while (values[i] != null && keys[i] != key) {
      i = (i + 1) & mask;
    }
    V former = values[i];
    keys[i] = key;
    values[i] = value;
    if (former == null) {
      size++;
    }
    return former;
  }

  /** Removes {@code key} and returns its value, or null. */
  public @Nullable V remove(long key) {
    int mask = keys.length - 1;
    int hole = slot(key, mask);
    while (values[hole] != null && keys[hole] != key) {
      hole = (hole + 1) & mask;
    }
    V removed = values[hole];
    if (removed == null) {
      return null;
    }
    size--;
    for (int i = (hole + 1) & mask; values[i] != null; i = (i + 1) & mask) {
      int home = slot(keys[i], mask);
      // An entry may move back into the hole only when its home does not lie between the hole and
      // itself.
      if (((i - home) & mask) >= ((i - hole) & mask)) {
        keys[hole] = keys[i];
        values[hole] = values[i];
        hole = i;
      }
    }
    values[hole] = null;
    return removed;
  }

  /** Number of entries. */
  public int size() {
    return size;
  }

  /** A copy of the values; may be changed while the map changes. */
  public List<V> values() {
    List<V> list = new ArrayList<>(size);
    for (V value : values) {
      if (value != null) {
        list.add(value);
      }
    }
    return list;
  }

  private void grow() {
    long[] oldKeys = keys;
    @Nullable V[] oldValues = values;
    keys = new long[oldKeys.length * 2];
    values = newArray(oldKeys.length * 2);
    int mask = keys.length - 1;
    for (int old = 0; old < oldKeys.length; old++) {
      V value = oldValues[old];
      if (value != null) {
        int i = slot(oldKeys[old], mask);
        while (values[i] != null) {
          i = (i + 1) & mask;
        }
        keys[i] = oldKeys[old];
        values[i] = value;
      }
    }
  }

  private static int slot(long key, int mask) {
    return (int) ((key * MULTIPLIER) >>> 32) & mask;
  }

  @SuppressWarnings("unchecked")
  private static <V> @Nullable V[] newArray(int capacity) {
    return (V[]) new Object[capacity];
  }
}
