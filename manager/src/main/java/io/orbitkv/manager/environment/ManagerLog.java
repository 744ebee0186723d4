package io.orbitkv.manager.environment;

import java.io.PrintStream;
import java.time.Duration;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The log: one line a message on stderr, so that stdout belongs to results. SLF4J and the JDK's own
 * logger, through which plugins speak, both end here. Whoever logs never waits for whoever reads
 * stderr: lines that cannot be written in time are dropped and counted.
 */
public final class ManagerLog {
  /** Frames of a stack trace that are printed: enough for the place, not a screen full. */
  private static final int FRAMES = 12;

  private static final int WAITING_LINES = 4096;
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  // Held here: the JDK forgets the level of a logger that nobody refers to.
  private static final Logger ROOT = Logger.getLogger("");
  private static final Logger OURS = Logger.getLogger("io.orbitkv");
  private static final Logger PF4J = Logger.getLogger("org.pf4j");

  private ManagerLog() {}

  /**
   * Sends everything to stderr in lines of ours. Idempotent; any thread.
   *
   * @param level of OrbitKV's own messages, as in the configuration; libraries stay at {@code info}
   *     or stricter
   */
  public static void install(String level) {
    Level wanted = level(level);
    synchronized (ROOT) {
      Stderr ours = installed();
      for (Handler handler : ROOT.getHandlers()) {
        if (!handler.equals(ours)) {
          ROOT.removeHandler(handler);
        }
      }
      if (ours == null) {
        ROOT.addHandler(new Stderr(() -> System.err, WAITING_LINES));
      }
    }
    OURS.setLevel(wanted);
    ROOT.setLevel(wanted.intValue() >= Level.INFO.intValue() ? wanted : Level.INFO);
    // It tells each step of each plugin, and stack traces; the plugin host says what matters.
    PF4J.setLevel(Level.OFF);
  }

  /** Any thread. Waits until what was logged before is written, at most for a second. */
  public static void flush() {
    Stderr ours = installed();
    if (ours != null) {
      ours.flush();
    }
  }

  /**
   * Any thread. Writes a line to stderr that is no message of the log, such as the reason why a
   * command failed, after what was logged before.
   */
  public static void tell(String line) {
    Stderr ours = installed();
    if (ours == null) {
      System.err.println(line);
    } else {
      ours.tell(line);
    }
  }

  /** Any thread. Lines that could not be written, since the start of the process. */
  public static long droppedLines() {
    Stderr ours = installed();
    return ours == null ? 0 : ours.writer.droppedLines();
  }

  private static Level level(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "trace" -> Level.FINEST;
      case "debug" -> Level.FINE;
      case "warn" -> Level.WARNING;
      case "error" -> Level.SEVERE;
      case "off" -> Level.OFF;
      default -> Level.INFO;
    };
  }

  private static @Nullable Stderr installed() {
    for (Handler handler : ROOT.getHandlers()) {
      if (handler instanceof Stderr ours) {
        return ours;
      }
    }
    return null;
  }

  /** Hands over to whatever stderr is at that moment, and never holds up or ends a thread. */
  static final class Stderr extends Handler {
    private final LogWriter writer;

    /**
     * @param stream asked anew for each line
     * @param capacity lines that may wait
     */
    Stderr(Supplier<PrintStream> stream, int capacity) {
      writer = new LogWriter(stream, capacity);
      setFormatter(new OneLine());
    }

    void tell(String line) {
      writer.write(line + '\n');
    }

    @Override
    public void publish(LogRecord record) {
      if (isLoggable(record)) {
        String text;
        try {
          text = getFormatter().format(record);
        } catch (RuntimeException | StackOverflowError unprintable) {
          // What is told of may be a plugin's object.
          writer.drop();
          return;
        }
        writer.write(text);
      }
    }

    @Override
    public void flush() {
      writer.flush(PATIENCE);
    }

    @Override
    public void close() {
      flush();
      writer.close();
    }
  }

  /** {@code 2026-01-31T12:00:00.000Z WARN Session: text}. */
  private static final class OneLine extends Formatter {
    // Clients choose texts as long as a frame.
    private static final int LONGEST_MESSAGE_CHARACTERS = 16 << 10;
    private static final DateTimeFormatter TIME =
        DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", Locale.ROOT)
            .withZone(ZoneId.systemDefault());

    @Override
    public String format(LogRecord record) {
      StringBuilder line = new StringBuilder(160);
      TIME.formatTo(record.getInstant(), line);
      line.append(' ').append(name(record.getLevel())).append(' ');
      String logger = record.getLoggerName();
      line.append(logger == null ? "log" : logger.substring(logger.lastIndexOf('.') + 1));
      line.append(": ");
      appendEscaped(formatMessage(record), line);
      line.append('\n');
      Throwable thrown = record.getThrown();
      if (thrown != null) {
        append(thrown, line);
      }
      return line.toString();
    }

    private static void append(Throwable thrown, StringBuilder text) {
      Throwable root = thrown;
      for (int depth = 0; root.getCause() != null && depth < FRAMES; depth++) {
        root = root.getCause();
      }
      appendEscaped(root.toString(), text);
      text.append('\n');
      StackTraceElement[] trace = root.getStackTrace();
      for (int i = 0; i < Math.min(FRAMES, trace.length); i++) {
        text.append("\tat ").append(trace[i]).append('\n');
      }
      if (!root.equals(thrown)) {
        text.append("Wrapped by: ");
        appendEscaped(thrown.toString(), text);
        text.append('\n');
      }
    }

    // A name that a client chose must neither end the line nor drive the terminal.
    private static void appendEscaped(@Nullable String message, StringBuilder text) {
      String all = String.valueOf(message);
      int shown = Math.min(all.length(), LONGEST_MESSAGE_CHARACTERS);
      for (int i = 0; i < shown; i++) {
        char character = all.charAt(i);
        switch (Character.getType(character)) {
          case Character.CONTROL,
              Character.FORMAT,
              Character.LINE_SEPARATOR,
              Character.PARAGRAPH_SEPARATOR ->
              text.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
          default -> text.append(character);
        }
      }
      if (shown < all.length()) {
        text.append("... [").append(all.length() - shown).append("] characters more");
      }
    }

    private static String name(Level level) {
      int value = level.intValue();
      if (value >= Level.SEVERE.intValue()) {
        return "ERROR";
      }
      if (value >= Level.WARNING.intValue()) {
        return "WARN ";
      }
      if (value >= Level.INFO.intValue()) {
        return "INFO ";
      }
      return value >= Level.FINE.intValue() ? "DEBUG" : "TRACE";
    }
  }
}
