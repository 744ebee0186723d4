package io.orbitkv.manager.environment;

import java.io.PrintStream;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/**
 * The log: one line a message on stderr, so that stdout belongs to results. SLF4J and the JDK's own
 * logger, through which plugins speak, both end here.
 */
public final class ManagerLog {
  /** Frames of a stack trace that are printed: enough for the place, not a screen full. */
  private static final int FRAMES = 12;

  /** Lines that wait for a slow stderr. */
  private static final int CAPACITY = 4096;

  private static final long FLUSH_NANOS = 1_000_000_000L;
  private static final long FLUSH_STEP_NANOS = 1_000_000L;

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
      boolean installed = false;
      for (Handler handler : ROOT.getHandlers()) {
        if (handler instanceof Stderr) {
          installed = true;
        } else {
          ROOT.removeHandler(handler);
        }
      }
      if (!installed) {
        ROOT.addHandler(new Stderr(CAPACITY, () -> System.err));
      }
    }
    OURS.setLevel(wanted);
    ROOT.setLevel(wanted.intValue() >= Level.INFO.intValue() ? wanted : Level.INFO);
    // It tells each step of each plugin, and stack traces; the plugin host says what matters.
    PF4J.setLevel(Level.OFF);
  }

  /** Writes out what waits; gives up after a second. */
  public static void flush() {
    for (Handler handler : ROOT.getHandlers()) {
      handler.flush();
    }
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

  /**
   * Hands lines to a thread that writes them to whatever stderr is at that moment. A stderr that
   * nobody reads costs lines, which are counted, and never holds a caller up: the dispatcher logs
   * too.
   */
  static final class Stderr extends Handler {
    private final BlockingQueue<String> lines;
    private final Supplier<PrintStream> stream;
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong written = new AtomicLong();

    /**
     * @param stream asked for each line
     */
    Stderr(int capacity, Supplier<PrintStream> stream) {
      this.stream = stream;
      lines = new ArrayBlockingQueue<>(capacity);
      setFormatter(new OneLine());
      Thread.ofPlatform().name("orbitkv-log").daemon().start(this::write);
    }

    @Override
    public void publish(LogRecord record) {
      if (!isLoggable(record)) {
        return;
      }
      if (lines.offer(getFormatter().format(record))) {
        accepted.incrementAndGet();
      } else {
        dropped.incrementAndGet();
      }
    }

    private void write() {
      try {
        while (true) {
          String line = lines.take();
          PrintStream now = stream.get();
          now.print(line);
          long lost = dropped.getAndSet(0);
          if (lost > 0) {
            now.print("[" + lost + "] lines were lost: nobody read stderr\n");
          }
          written.incrementAndGet();
        }
      } catch (InterruptedException ended) {
        Thread.currentThread().interrupt();
      }
    }

    /** Waits until what was accepted is written, but not for long. */
    @Override
    public void flush() {
      long wanted = accepted.get();
      long deadline = System.nanoTime() + FLUSH_NANOS;
      while (written.get() < wanted && System.nanoTime() - deadline < 0) {
        LockSupport.parkNanos(this, FLUSH_STEP_NANOS);
      }
    }

    @Override
    public void close() {}
  }

  /** {@code 2026-01-31T12:00:00.000Z WARN Session: text}. */
  private static final class OneLine extends Formatter {
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
      int start = line.length();
      line.append(formatMessage(record));
      escape(line, start);
      line.append('\n');
      Throwable thrown = record.getThrown();
      if (thrown != null) {
        append(thrown, line);
      }
      return line.toString();
    }

    /** Clients and traces give text too: one message stays one line. */
    private static void escape(StringBuilder line, int start) {
      for (int i = start; i < line.length(); i++) {
        if (Character.isISOControl(line.charAt(i))) {
          line.setCharAt(i, '\uFFFD');
        }
      }
    }

    private static void append(Throwable thrown, StringBuilder text) {
      Throwable root = thrown;
      for (int depth = 0; root.getCause() != null && depth < FRAMES; depth++) {
        root = root.getCause();
      }
      text.append(root).append('\n');
      StackTraceElement[] trace = root.getStackTrace();
      for (int i = 0; i < Math.min(FRAMES, trace.length); i++) {
        text.append("\tat ").append(trace[i]).append('\n');
      }
      if (!root.equals(thrown)) {
        text.append("Wrapped by: ").append(thrown).append('\n');
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
