package io.orbitkv.manager.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.spi.ContextAwareBase;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log: one line a message on stderr, so that stdout belongs to results. Found by Logback as a
 * service; the level comes from the configuration once that is read.
 */
public final class ManagerLog extends ContextAwareBase implements Configurator {
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{0}: %msg%n%rEx{12}";

  /** Called by Logback. */
  public ManagerLog() {}

  @Override
  public ExecutionStatus configure(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    ConsoleAppender<ILoggingEvent> appender = new ConsoleAppender<>();
    appender.setContext(context);
    appender.setName("stderr");
    appender.setTarget("System.err");
    appender.setEncoder(encoder);
    appender.start();
    ch.qos.logback.classic.Logger root = context.getLogger(Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(appender);
    // It tells each step of each plugin; the plugin host says what matters.
    context.getLogger("org.pf4j").setLevel(Level.WARN);
    return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
  }

  /**
   * Sets the level of OrbitKV's own messages; libraries stay at {@code info} or stricter.
   *
   * @param level as in the configuration
   */
  public static void setLevel(String level) {
    if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
      Level wanted = Level.toLevel(level, Level.INFO);
      context.getLogger("io.orbitkv").setLevel(wanted);
      context
          .getLogger(Logger.ROOT_LOGGER_NAME)
          .setLevel(wanted.isGreaterOrEqual(Level.INFO) ? wanted : Level.INFO);
    }
  }

  /** Writes out what waits. */
  public static void flush() {
    System.err.flush();
  }
}
