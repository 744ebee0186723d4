package io.orbitkv.workload.report;

import java.util.ArrayList;
import java.util.List;

/**
 * A table of many columns with a heading, for people: the first column to the left, the others to
 * the right. One thread.
 */
public final class ColumnTable {
  private final List<String[]> rows = new ArrayList<>();

  /** A table without rows. */
  public ColumnTable(String... headings) {
    rows.add(headings.clone());
  }

  /**
   * Adds a row.
   *
   * @throws IllegalArgumentException when it has not one cell a column
   */
  public ColumnTable row(String... cells) {
    if (cells.length != rows.getFirst().length) {
      throw new IllegalArgumentException(
          "[" + cells.length + "] cells for [" + rows.getFirst().length + "] columns");
    }
    rows.add(cells.clone());
    return this;
  }

  /** The table; each row ends with a line feed. */
  public String text() {
    int[] widths = new int[rows.getFirst().length];
    for (String[] row : rows) {
      for (int column = 0; column < row.length; column++) {
        widths[column] = Math.max(widths[column], row[column].length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < row.length; column++) {
        String space = " ".repeat(widths[column] - row[column].length());
        line.append("  ").append(column == 0 ? row[column] + space : space + row[column]);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
