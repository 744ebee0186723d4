package io.orbitkv.dram;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/**
 * Reads back from {@code /proc/self/smaps} how much of some ranges the system made of huge pages.
 */
final class HugePages {
  private static final String FIELD = "AnonHugePages:";
  private static final int HEXADECIMAL = 16;

  private HugePages() {}

  /** A range of addresses, end exclusive. */
  record Range(long start, long end) {}

  /**
   * Bytes in huge pages. An area of the system that covers more than a range counts with at most
   * what it has in common with it, since neighbours with equal properties are one area.
   *
   * @param smaps closed by the caller
   * @throws UncheckedIOException when it cannot be read
   */
  static long bytesOf(BufferedReader smaps, List<Range> ranges) {
    try {
      long total = 0;
      long common = 0;
      for (String line = smaps.readLine(); line != null; line = smaps.readLine()) {
        if (line.startsWith(FIELD)) {
          if (common > 0) {
            total += Math.min(common, kilobytes(line) * 1024);
          }
        } else if (isHeader(line)) {
          common = commonBytes(line, ranges);
        }
      }
      return total;
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /** A header begins with the lower-case hexadecimal start of an area; fields with a capital. */
  private static boolean isHeader(String line) {
    return !line.isEmpty()
        && Character.digit(line.charAt(0), HEXADECIMAL) >= 0
        && !Character.isUpperCase(line.charAt(0));
  }

  private static long commonBytes(String header, List<Range> ranges) {
    int dash = header.indexOf('-');
    int space = header.indexOf(' ', dash);
    long start = Long.parseUnsignedLong(header, 0, dash, HEXADECIMAL);
    long end = Long.parseUnsignedLong(header, dash + 1, space, HEXADECIMAL);
    if (start < 0 || end < 0) {
      // The upper half of the addresses belongs to the system.
      return 0;
    }
    long common = 0;
    for (Range range : ranges) {
      common += Math.max(0, Math.min(end, range.end()) - Math.max(start, range.start()));
    }
    return common;
  }

  private static long kilobytes(String line) {
    String number = line.substring(FIELD.length()).strip();
    return Long.parseLong(number, 0, number.indexOf(' '), 10);
  }
}
