package io.orbitkv.testkit;

import java.text.MessageFormat;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A log that remembers every line of every level. Any thread. */
public final class RecordedLog implements System.Logger {
  private final String name;
  private final List<Line> lines = new CopyOnWriteArrayList<>();

  /**
   * An empty log.
   *
   * @param name of the logger
   */
  public RecordedLog(String name) {
    this.name = name;
  }

  /** One logged line. */
  public record Line(Level level, String message, @Nullable Throwable thrown) {}

  /** What was logged, in order. */
  public List<Line> lines() {
    return List.copyOf(lines);
  }

  /** The messages of a level and above, in order. */
  public List<String> messages(Level least) {
    return lines.stream()
        .filter(line -> line.level().getSeverity() >= least.getSeverity())
        .map(Line::message)
        .toList();
  }

  @Override
  public String getName() {
    return name;
  }

  @Override
  public boolean isLoggable(Level level) {
    return true;
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String message,
      @Nullable Throwable thrown) {
    lines.add(new Line(level, String.valueOf(message), thrown));
  }

  @Override
  public void log(
      Level level,
      @Nullable ResourceBundle bundle,
      @Nullable String format,
      @Nullable Object @Nullable ... arguments) {
    String text = String.valueOf(format);
    lines.add(
        new Line(
            level,
            arguments == null || arguments.length == 0
                ? text
                : MessageFormat.format(text, arguments),
            null));
  }
}
