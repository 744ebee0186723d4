package io.orbitkv.workload.report;

import java.util.Locale;

/** Numbers as people read them. */
public final class Quantity {
  private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB"};

  private Quantity() {}

  /** Bytes with a binary unit, such as {@code 1.50 GiB}. */
  public static String bytes(long bytes) {
    double value = bytes;
    int unit = 0;
    while (Math.abs(value) >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.2f %s", value, UNITS[unit]);
  }

  /** A count with separators, such as {@code 12,031}. */
  public static String count(long count) {
    return String.format(Locale.ROOT, "%,d", count);
  }

  /** A ratio as a percentage. */
  public static String percent(double ratio) {
    return String.format(Locale.ROOT, "%.1f %%", ratio * 100);
  }
}
