package io.orbitkv.manager.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import org.junit.jupiter.api.Test;

class ManagerLogTest {
  private static LogRecord message(String text) {
    LogRecord record = new LogRecord(Level.WARNING, text);
    record.setLoggerName("io.orbitkv.some.Place");
    return record;
  }

  @Test
  void publish_stderrThatNobodyReads_holdsNobodyUpAndCountsWhatIsLost() throws Exception {
    CountDownLatch writing = new CountDownLatch(1);
    CountDownLatch read = new CountDownLatch(1);
    CountDownLatch told = new CountDownLatch(1);
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    PrintStream stderr =
        new PrintStream(
            new OutputStream() {
              @Override
              public void write(int value) {
                write(new byte[] {(byte) value}, 0, 1);
              }

              @Override
              public void write(byte[] bytes, int from, int length) {
                writing.countDown();
                try {
                  read.await();
                } catch (InterruptedException interrupted) {
                  Thread.currentThread().interrupt();
                }
                seen.write(bytes, from, length);
                if (seen.toString(StandardCharsets.UTF_8).contains("lines were lost")) {
                  told.countDown();
                }
              }
            },
            true,
            StandardCharsets.UTF_8);
    ManagerLog.Stderr handler = new ManagerLog.Stderr(2, () -> stderr);
    handler.publish(message("first"));
    assertThat(writing.await(60, TimeUnit.SECONDS)).isTrue();

    // One is being written, two wait, three are lost; and this thread comes to the next line.
    for (int i = 0; i < 5; i++) {
      handler.publish(message("more " + i));
    }

    read.countDown();
    assertThat(told.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(seen.toString(StandardCharsets.UTF_8)).contains("[3] lines were lost");
  }

  @Test
  void publish_textWithLineBreaks_staysOneLine() {
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    PrintStream stderr = new PrintStream(seen, true, StandardCharsets.UTF_8);
    ManagerLog.Stderr handler = new ManagerLog.Stderr(16, () -> stderr);

    handler.publish(message("client [a\nERROR forged\u001b[31m]"));
    handler.flush();

    String text = seen.toString(StandardCharsets.UTF_8);
    assertThat(text.lines()).hasSize(1);
    assertThat(text).contains("WARN  Place: client [a").doesNotContain("\u001b");
  }
}
