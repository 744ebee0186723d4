package io.orbitkv.workload.report;

import java.util.ArrayList;
import java.util.List;

/** A table of a name and a value a row, for people. One thread. */
public final class TextTable {
  private final List<String[]> rows = new ArrayList<>();

  /** An empty table. */
  public TextTable() {}

  /** Adds a row. */
  public TextTable row(String name, String value) {
    rows.add(new String[] {name, value});
    return this;
  }

  /** The table with names padded to one width; each row ends with a line feed. */
  public String text() {
    int width = rows.stream().mapToInt(row -> row[0].length()).max().orElse(0);
    StringBuilder text = new StringBuilder();
    for (String[] row : rows) {
      text.append("  ")
          .append(row[0])
          .repeat(' ', width - row[0].length() + 2)
          .append(row[1])
          .append('\n');
    }
    return text.toString();
  }
}
