package io.orbitkv.manager.config;

import io.orbitkv.api.settings.ByteSize;
import java.util.Locale;

/** Amounts of bytes for people. */
final class Amounts {
  private static final String[] UNITS = {"b", "kb", "mb", "gb", "tb"};

  private Amounts() {}

  /** Exact where a unit divides it, otherwise to one decimal. */
  static String human(long bytes) {
    String exact = new ByteSize(Math.max(0, bytes)).toString();
    if (exact.length() <= 6) {
      return exact;
    }
    int unit = 0;
    double value = bytes;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, "%.1f%s", value, UNITS[unit]);
  }
}
