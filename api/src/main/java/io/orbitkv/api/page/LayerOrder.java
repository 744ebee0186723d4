package io.orbitkv.api.page;

import java.util.Comparator;

/**
 * Order of layers by name as people count: numbers in names compare by value, so that {@code
 * layers.2} stands before {@code layers.10}. Layers that an engine computes one after another then
 * lie one after another in a run, and their distances in device memory stay equal.
 */
final class LayerOrder implements Comparator<String> {
  static final LayerOrder BY_NAME = new LayerOrder();

  private LayerOrder() {}

  @Override
  public int compare(String one, String other) {
    int i = 0;
    int j = 0;
    while (i < one.length() && j < other.length()) {
      if (isDigit(one.charAt(i)) && isDigit(other.charAt(j))) {
        int oneEnd = endOfNumber(one, i);
        int otherEnd = endOfNumber(other, j);
        int order = compareNumbers(one.substring(i, oneEnd), other.substring(j, otherEnd));
        if (order != 0) {
          return order;
        }
        i = oneEnd;
        j = otherEnd;
      } else if (one.charAt(i) != other.charAt(j)) {
        return Character.compare(one.charAt(i), other.charAt(j));
      } else {
        i++;
        j++;
      }
    }
    int order = Integer.compare(one.length() - i, other.length() - j);
    // Names that differ in leading zeros alone are still two names.
    return order != 0 ? order : one.compareTo(other);
  }

  /** By value; of any length. */
  private static int compareNumbers(String one, String other) {
    String left = one.substring(leadingZeros(one));
    String right = other.substring(leadingZeros(other));
    return left.length() != right.length()
        ? Integer.compare(left.length(), right.length())
        : left.compareTo(right);
  }

  private static int leadingZeros(String number) {
    int zeros = 0;
    while (zeros < number.length() && number.charAt(zeros) == '0') {
      zeros++;
    }
    return zeros;
  }

  private static int endOfNumber(String text, int from) {
    int end = from;
    while (end < text.length() && isDigit(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isDigit(char character) {
    return character >= '0' && character <= '9';
  }
}
