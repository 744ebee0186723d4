package io.orbitkv.manager.environment;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LogWriterTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final StalledStream stalled = new StalledStream();
  private final PrintStream stream = stalled.print();
  private final LogWriter writer = new LogWriter(() -> stream, 4);

  @AfterEach
  void close() {
    stalled.release();
    writer.close();
  }

  @Test
  void lines_areWrittenInOrder() {
    stalled.release();
    writer.write("a\n");
    writer.write("b\n");
    writer.write("c\n");

    assertThat(writer.flush(PATIENCE)).isTrue();
    assertThat(stalled.text()).isEqualTo("a\nb\nc\n");
  }

  @Test
  void streamThatNobodyReads_holdsUpNobodyAndTheLossIsTold() throws Exception {
    writer.write("first\n");
    stalled.awaitStall();
    for (int line = 0; line < 10; line++) {
      writer.write(line + "\n");
    }
    assertThat(writer.flush(Duration.ofMillis(1))).isFalse();
    stalled.release();

    assertThat(writer.flush(PATIENCE)).isTrue();
    assertThat(stalled.text().lines())
        .containsExactly(
            "first",
            "[6] lines of the log were dropped: stderr was not read in time",
            "0",
            "1",
            "2",
            "3");
  }

  @Test
  void streamThatThrows_doesNotEndTheThread() {
    stalled.release();
    AtomicBoolean first = new AtomicBoolean(true);
    LogWriter failing =
        new LogWriter(
            () -> {
              if (first.getAndSet(false)) {
                throw new IllegalStateException("planted");
              }
              return stream;
            },
            4);
    failing.write("lost\n");
    failing.write("kept\n");

    assertThat(failing.flush(PATIENCE)).isTrue();
    failing.close();
    assertThat(stalled.text())
        .contains("kept\n", "[1] lines of the log were dropped: stderr was not read in time\n");
  }
}
