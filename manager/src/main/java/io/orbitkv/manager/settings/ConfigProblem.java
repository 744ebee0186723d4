package io.orbitkv.manager.settings;

/**
 * One thing that is wrong with a configuration, told in one line.
 *
 * @param where file, line and column, or the flag; empty for a default, which stands nowhere
 * @param key the full key, or empty when no key is concerned
 * @param message what is wrong and what to do
 */
public record ConfigProblem(String where, String key, String message) {
  private static final int LONGEST = 400;

  /**
   * Keeps each part on one line and within bounds: values come from files that may hold anything.
   */
  public ConfigProblem {
    where = oneLine(where);
    key = oneLine(key);
    message = oneLine(message);
  }

  /** A problem at a place. */
  public static ConfigProblem at(Place place, String key, String message) {
    return new ConfigProblem(place.toString(), key, message);
  }

  /** {@code where: key: message}, without what is empty. */
  public String line() {
    return (where.isEmpty() ? "" : where + ": ") + (key.isEmpty() ? "" : key + ": ") + message;
  }

  private static String oneLine(String text) {
    StringBuilder line = new StringBuilder(Math.min(text.length(), LONGEST));
    int at = 0;
    while (at < text.length() && line.length() < LONGEST) {
      int point = text.codePointAt(at);
      at += Character.charCount(point);
      switch (point) {
        case '\n' -> line.append("\\n");
        case '\r' -> line.append("\\r");
        case '\t' -> line.append("\\t");
        default -> {
          if (Character.isISOControl(point) || !Character.isDefined(point)) {
            line.append(String.format("\\u%04x", point));
          } else {
            line.appendCodePoint(point);
          }
        }
      }
    }
    return at < text.length() ? line.append("…").toString() : line.toString();
  }
}
