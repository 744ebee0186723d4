package io.orbitkv.manager.settings;

import io.orbitkv.api.settings.ByteSize;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An amount of bytes that is named, a part of another amount, or left to the Manager. */
public sealed interface Share {
  /** The Manager derives it. */
  record Auto() implements Share {
    @Override
    public String toString() {
      return "auto";
    }
  }

  /**
   * A part of another amount.
   *
   * @param text the number as written
   * @param percent above 0 and at most 100
   */
  record Percent(String text, double percent) implements Share {
    @Override
    public String toString() {
      return text + "%";
    }
  }

  /**
   * A named amount.
   *
   * @param size in bytes
   */
  record Size(ByteSize size) implements Share {
    @Override
    public String toString() {
      return size.toString();
    }
  }

  /** The form of a percentage. */
  Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,6})?)\\s*%");

  /**
   * Reads {@code auto}, {@code 75%} or {@code 4gb}.
   *
   * @throws IllegalArgumentException saying what {@code text} is not
   */
  static Share parse(String text) {
    String form = text.strip().toLowerCase(Locale.ROOT);
    if (form.equals("auto")) {
      return new Auto();
    }
    Matcher matcher = PERCENT.matcher(form);
    if (matcher.matches()) {
      double percent = Double.parseDouble(matcher.group(1));
      if (percent <= 0 || percent > 100) {
        throw new IllegalArgumentException("[" + text + "] must be above 0% and at most 100%");
      }
      return new Percent(matcher.group(1), percent);
    }
    return new Size(ByteSize.parse(text));
  }
}
