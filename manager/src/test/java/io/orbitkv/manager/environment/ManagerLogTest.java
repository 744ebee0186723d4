package io.orbitkv.manager.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.util.logging.Handler;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

@Timeout(60)
class ManagerLogTest {
  private final PrintStream stderr = System.err;
  private final StalledStream stalled = new StalledStream();
  private final org.slf4j.Logger log = LoggerFactory.getLogger("io.orbitkv.manager.Test");

  @BeforeEach
  void install() {
    ManagerLog.install("info");
    ManagerLog.flush();
    System.setErr(stalled.print());
  }

  @AfterEach
  void restore() {
    stalled.release();
    ManagerLog.flush();
    System.setErr(stderr);
  }

  @Test
  void stderrThatNobodyReads_holdsUpNobody() throws Exception {
    log.info("first");
    stalled.awaitStall();
    for (int line = 0; line < 10_000; line++) {
      log.info("line {}", line);
    }
    ManagerLog.flush();
    ManagerLog.tell("not there yet");
    assertThat(stalled.text()).isEmpty();
    stalled.release();
    ManagerLog.flush();

    assertThat(stalled.text()).contains("first", "line 1\n", "lines of the log were dropped");
  }

  @Test
  void install_again_keepsTheOneHandler() {
    Handler[] before = Logger.getLogger("").getHandlers();
    ManagerLog.install("info");

    assertThat(Logger.getLogger("").getHandlers()).containsExactly(before).hasSize(1);
  }

  @Test
  void controlCharacters_doNotEndTheLine() {
    stalled.release();
    log.warn("client [{}]", "a\nFAKE\r\t\u001b[2J\u0085\u2028\u202eb", new Exception("c\nd"));
    ManagerLog.tell("a plain line");
    ManagerLog.flush();

    assertThat(stalled.text())
        .contains(
            "WARN  Test: client [a\\u000aFAKE\\u000d\\u0009\\u001b[2J\\u0085\\u2028\\u202eb]\n",
            "java.lang.Exception: c\\u000ad\n",
            "\na plain line\n");
  }

  @Test
  void longText_isCut() {
    stalled.release();
    log.info("{}", "x".repeat(1 << 20));
    ManagerLog.flush();

    assertThat(stalled.text()).hasSizeLessThan(20_000).contains("characters more\n");
  }

  @Test
  void textThatCannotBeMade_isCounted() {
    stalled.release();
    log.warn("failed", new Unprintable());
    log.info("goes on");
    ManagerLog.flush();

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
