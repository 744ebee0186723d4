package io.orbitkv.api.settings;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes, written like {@code 4gb}. Units are binary: 1 kb is 1,024 bytes.
 *
 * @param bytes not negative
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,18})(\\.\\d{1,6})?\\s*(b|kb|mb|gb|tb|kib|mib|gib|tib)?");

  /**
   * @throws IllegalArgumentException when negative
   */
  public ByteSize {
    if (bytes < 0) {
      throw new IllegalArgumentException("size [" + bytes + "] is negative");
    }
  }

  /**
   * Reads a size such as {@code 4096}, {@code 4gb}, {@code 1.5 GiB}.
   *
   * @throws IllegalArgumentException when {@code text} is not a size or exceeds 8 EiB
   */
  public static ByteSize parse(String text) {
    Matcher matcher = FORM.matcher(text.strip().toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "[" + text + "] is not a size: write a number and a unit, such as 512mb or 4gb");
    }
    String unit = matcher.group(3);
    int shift = unit == null ? 0 : 10 * "bkmgt".indexOf(unit.charAt(0));
    try {
      long bytes = Math.multiplyExact(Long.parseLong(matcher.group(1)), 1L << shift);
      if (matcher.group(2) != null) {
        bytes =
            Math.addExact(
                bytes, Math.round(Double.parseDouble("0" + matcher.group(2)) * (1L << shift)));
      }
      return new ByteSize(bytes);
    } catch (ArithmeticException overflow) {
      throw new IllegalArgumentException("[" + text + "] is more than 8 EiB", overflow);
    }
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /** The shortest exact form with a binary unit, such as {@code 4gb}. */
  @Override
  public String toString() {
    String[] units = {"b", "kb", "mb", "gb", "tb"};
    int unit = 0;
    long value = bytes;
    while (unit < units.length - 1 && value != 0 && value % 1024 == 0) {
      value /= 1024;
      unit++;
    }
    return value + units[unit];
  }
}
