package io.orbitkv.manager.dispatch;

/**
 * A table of fixed size from two longs to the numbers of a row, without objects: open addressing,
 * half full at most, removal by shifting back. A row's index is good until the next removal. One
 * thread.
 */
public final class PairTable {
  /** What {@link #find} and {@link #add} return when there is no row. */
  public static final int NONE = -1;

  private static final long MIX_FIRST = 0x9e3779b97f4a7c15L;
  private static final long MIX_SECOND = 0xc2b2ae3d27d4eb4fL;

  private final int columns;
  private final int mask;
  private final int most;
  // Row by row: the two keys, the columns.
  private final long[] cells;
  private final int width;
  private int rows;

  /**
   * An empty table.
   *
   * @param most rows
   * @param columns numbers of a row
   */
  public PairTable(int most, int columns) {
    this.most = most;
    this.columns = columns;
    this.width = columns + 2;
    int size = Integer.highestOneBit(Math.max(2, most) - 1) << 2;
    this.mask = size - 1;
    this.cells = new long[size * width];
  }

  /** Rows that are used. */
  public int rows() {
    return rows;
  }

  /** The row of two keys, the second not 0, or {@link #NONE}. */
  public int find(long first, long second) {
    int row = home(first, second);
    while (used(row)) {
      if (cells[row * width] == first && cells[row * width + 1] == second) {
        return row;
      }
      row = (row + 1) & mask;
    }
    return NONE;
  }

  /** A row of zeros for keys that have none yet; {@link #NONE} when the table is full. */
  public int add(long first, long second) {
    if (rows == most) {
      return NONE;
    }
    int row = home(first, second);
    while (used(row)) {
      row = (row + 1) & mask;
    }
    rows++;
    int at = row * width;
    cells[at] = first;
    cells[at + 1] = second;
    for (int column = 0; column < columns; column++) {
      cells[at + 2 + column] = 0;
    }
    return row;
  }

  /** First key of a row. */
  public long first(int row) {
    return cells[row * width];
  }

  /** Second key of a row. */
  public long second(int row) {
    return cells[row * width + 1];
  }

  /** A number of a row. */
  public long get(int row, int column) {
    return cells[row * width + 2 + column];
  }

  /** Sets a number of a row. */
  public void set(int row, int column, long value) {
    cells[row * width + 2 + column] = value;
  }

  /** Removes a row; the indices of others change. */
  public void remove(int row) {
    rows--;
    int hole = row;
    int next = (hole + 1) & mask;
    while (used(next)) {
      int home = home(first(next), second(next));
      // It may move back unless its home lies behind the hole.
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        System.arraycopy(cells, next * width, cells, hole * width, width);
        hole = next;
      }
      next = (next + 1) & mask;
    }
    cells[hole * width + 1] = 0;
  }

  /** Removes every row that the test names. Looks at the whole table. */
  public void removeIf(RowTest test) {
    int row = 0;
    while (row <= mask) {
      if (used(row) && test.holds(row)) {
        // What shifted into its place is looked at next.
        remove(row);
      } else {
        row++;
      }
    }
  }

  /** Says whether a row goes. */
  @FunctionalInterface
  public interface RowTest {
    /** Whether this one goes. */
    boolean holds(int row);
  }

  private boolean used(int row) {
    return cells[row * width + 1] != 0;
  }

  private int home(long first, long second) {
    long hash = (first * MIX_FIRST) ^ (second * MIX_SECOND);
    hash ^= hash >>> 32;
    return (int) ((hash * MIX_FIRST) >>> 40) & mask;
  }
}
