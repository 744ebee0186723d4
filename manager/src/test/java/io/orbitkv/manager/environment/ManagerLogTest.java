package io.orbitkv.manager.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The handler writes to a stream of its own: other tests of the same process log too. */
@Timeout(60)
class ManagerLogTest {
  private static final int WAITING_LINES = 16;

  private final StalledStream stalled = new StalledStream();
  private final PrintStream stream = stalled.print();
  private final ManagerLog.Stderr handler = new ManagerLog.Stderr(() -> stream, WAITING_LINES);

  @AfterEach
  void close() {
    stalled.release();
    handler.close();
  }

  private static LogRecord message(String text) {
    LogRecord record = new LogRecord(Level.WARNING, text);
    record.setLoggerName("io.orbitkv.some.Place");
    return record;
  }

  private static LogRecord message(String text, Throwable thrown) {
    LogRecord record = message(text);
    record.setThrown(thrown);
    return record;
  }

  @Test
  void stderrThatNobodyReads_holdsUpNobody() throws Exception {
    handler.publish(message("first"));
    stalled.awaitStall();
    for (int line = 0; line < 10 * WAITING_LINES; line++) {
      handler.publish(message("line " + line));
    }
    handler.flush();
    handler.tell("not there yet");
    assertThat(stalled.text()).isEmpty();
    stalled.release();
    handler.flush();

    // One is being written, and one more that is told of is lost.
    assertThat(stalled.text())
        .contains("first\n", "line 1\n", "[" + (9 * WAITING_LINES + 1) + "] lines of the log")
        .doesNotContain("not there yet");
  }

  @Test
  void install_again_keepsTheOneHandler() {
    ManagerLog.install("info");
    Handler[] before = Logger.getLogger("").getHandlers();
    ManagerLog.install("info");

    assertThat(Logger.getLogger("").getHandlers()).containsExactly(before).hasSize(1);
  }

  @Test
  void controlCharacters_doNotEndTheLine() {
    stalled.release();
    handler.publish(
        message("client [a\nFAKE\r\t\u001b[2J\u0085\u2028\u202eb]", new Exception("c\nd")));
    handler.tell("a plain line");
    handler.flush();

    assertThat(stalled.text())
        .contains(
            "WARN  Place: client [a\\u000aFAKE\\u000d\\u0009\\u001b[2J\\u0085\\u2028\\u202eb]\n",
            "java.lang.Exception: c\\u000ad\n",
            "\na plain line\n");
  }

  @Test
  void longText_isCut() {
    stalled.release();
    handler.publish(message("x".repeat(1 << 20)));
    handler.flush();

    assertThat(stalled.text()).hasSizeLessThan(20_000).contains("characters more\n");
  }

  @Test
  void textThatCannotBeMade_isCounted() {
    stalled.release();
    handler.publish(message("failed", new Unprintable()));
    handler.publish(message("goes on"));
    handler.flush();

    assertThat(stalled.text()).contains("goes on\n[1] lines of the log were dropped");
  }

  private static final class Unprintable extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("planted");
    }
  }
}
