package io.orbitkv.manager.settings;

import java.util.ArrayList;
import java.util.List;

/** A table for people: columns as wide as their widest cell, nothing behind the last one. */
public final class TextTable {
  private final List<List<String>> rows = new ArrayList<>();

  /** A table with these headings. */
  public TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  /** Adds a row with as many cells as there are headings. */
  public void row(String... cells) {
    if (cells.length != rows.getFirst().size()) {
      throw new IllegalArgumentException(
          "a row has [" + cells.length + "] cells, not [" + rows.getFirst().size() + "]");
    }
    rows.add(List.of(cells));
  }

  @Override
  public String toString() {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int column = 0; column < columns; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < columns; column++) {
        String cell = row.get(column);
        line.append(cell).repeat(' ', widths[column] - cell.length() + 2);
      }
      text.append(line.toString().stripTrailing()).append('\n');
    }
    return text.toString();
  }
}
