package io.orbitkv.manager.plugin;

import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** A plugin cannot be used. Carried to the host, which names the plugin and goes on. */
final class RefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final String remedy;

  /**
   * @param reason what is wrong
   * @param remedy what to do
   */
  RefusedException(String reason, String remedy) {
    this(reason, remedy, null);
  }

  RefusedException(String reason, String remedy, @Nullable Throwable cause) {
    super(reason, cause);
    this.remedy = remedy;
  }

  String reason() {
    return String.valueOf(getMessage());
  }

  String remedy() {
    return remedy;
  }

  /** A throwable in one line: its type where the message alone would not say what happened. */
  static String describe(Throwable thrown) {
    String message = thrown.getMessage();
    String name = thrown.getClass().getName();
    return message == null || message.isBlank()
        ? name
        : name + ": " + message.lines().findFirst().orElse("");
  }
}
