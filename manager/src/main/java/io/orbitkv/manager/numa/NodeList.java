package io.orbitkv.manager.numa;

import java.util.ArrayList;
import java.util.List;

/** Lists of numbers as the system writes them, such as {@code 0-1,4}. */
final class NodeList {
  private static final int LARGEST = 1023;

  private NodeList() {}

  /**
   * Reads a list.
   *
   * @throws IllegalArgumentException when it has another form
   */
  static List<Integer> parse(String text) {
    List<Integer> nodes = new ArrayList<>();
    for (String part : text.strip().split(",", -1)) {
      int dash = part.indexOf('-');
      try {
        int first = Integer.parseInt(dash < 0 ? part : part.substring(0, dash));
        int last = dash < 0 ? first : Integer.parseInt(part.substring(dash + 1));
        if (first < 0 || last < first || last > LARGEST) {
          throw new IllegalArgumentException("[" + text + "] is not a list of nodes");
        }
        for (int node = first; node <= last; node++) {
          nodes.add(node);
        }
      } catch (NumberFormatException malformed) {
        throw new IllegalArgumentException("[" + text + "] is not a list of nodes", malformed);
      }
    }
    return nodes;
  }
}
