package io.orbitkv.manager.settings;

import java.util.Collection;
import java.util.Locale;
import java.util.Optional;

/** Finds the name that was probably meant. */
public final class Nearest {
  private static final int LONGEST = 64;

  private Nearest() {}

  /** {@code did you mean [x]?} when a name is near, otherwise the names that are known. */
  public static String suggestion(String written, Collection<String> known) {
    return nearest(written, known)
        .map(name -> "did you mean [" + name + "]?")
        .orElseGet(
            () -> known.isEmpty() ? "none is known" : "known: [" + String.join(", ", known) + "]");
  }

  static Optional<String> nearest(String written, Collection<String> known) {
    String form = written.toLowerCase(Locale.ROOT).replace('_', '-');
    if (form.length() > LONGEST) {
      return Optional.empty();
    }
    String best = null;
    int bestDistance = Math.max(1, form.length() / 3) + 1;
    for (String name : known) {
      int distance = distance(form, name);
      if (distance < bestDistance) {
        best = name;
        bestDistance = distance;
      }
    }
    return Optional.ofNullable(best);
  }

  /** Levenshtein's distance with a swap of neighbours counted once. */
  private static int distance(String left, String right) {
    int[][] cost = new int[left.length() + 1][right.length() + 1];
    for (int i = 0; i <= left.length(); i++) {
      cost[i][0] = i;
    }
    for (int j = 0; j <= right.length(); j++) {
      cost[0][j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      for (int j = 1; j <= right.length(); j++) {
        int change = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
        cost[i][j] =
            Math.min(cost[i - 1][j - 1] + change, 1 + Math.min(cost[i - 1][j], cost[i][j - 1]));
        boolean swapped =
            i > 1
                && j > 1
                && left.charAt(i - 1) == right.charAt(j - 2)
                && left.charAt(i - 2) == right.charAt(j - 1);
        if (swapped) {
          cost[i][j] = Math.min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
      }
    }
    return cost[left.length()][right.length()];
  }
}
