package io.orbitkv.manager.settings;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as they are written: {@code 100ms}, {@code 5s}, {@code 10m}. */
public final class Durations {
  private static final Pattern FORM = Pattern.compile("(\\d{1,12})\\s*(ns|us|ms|s|m|h|d)");

  private Durations() {}

  /**
   * Reads a duration.
   *
   * @throws IllegalArgumentException when {@code text} is not one
   */
  public static Duration parse(String text) {
    String form = text.strip().toLowerCase(Locale.ROOT);
    if (form.equals("0")) {
      return Duration.ZERO;
    }
    Matcher matcher = FORM.matcher(form);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "["
              + text
              + "] is not a duration: write a whole number and a unit, such as 100ms, 5s or 10m");
    }
    long amount = Long.parseLong(matcher.group(1));
    return switch (matcher.group(2)) {
      case "ns" -> Duration.ofNanos(amount);
      case "us" -> Duration.ofNanos(Math.multiplyExact(amount, 1_000L));
      case "ms" -> Duration.ofMillis(amount);
      case "s" -> Duration.ofSeconds(amount);
      case "m" -> Duration.ofMinutes(amount);
      case "h" -> Duration.ofHours(amount);
      default -> Duration.ofDays(amount);
    };
  }

  /** The shortest exact form. */
  public static String format(Duration duration) {
    if (duration.isZero()) {
      return "0ms";
    }
    if (duration.toNanosPart() == 0) {
      long seconds = duration.toSeconds();
      if (seconds % 3_600 == 0) {
        return seconds / 3_600 + "h";
      }
      return seconds % 60 == 0 ? seconds / 60 + "m" : seconds + "s";
    }
    if (duration.toNanosPart() % 1_000_000 == 0) {
      return duration.toMillis() + "ms";
    }
    return duration.toNanosPart() % 1_000 == 0
        ? duration.toNanos() / 1_000 + "us"
        : duration.toNanos() + "ns";
  }
}
