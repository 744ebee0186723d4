package io.orbitkv.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.fixture.ChildProcess;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.ServeMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ServeProcessTest {
  @TempDir Path home;

  @Test
  void sigterm_endsCleanWithStatusZero() throws Exception {
    try (ChildProcess manager = serve()) {
      Path socket = ready(manager);
      try (Engine engine = new Engine(socket, "model")) {
        engine.publish(1, 4);
        manager.signal("TERM");

        assertThat(manager.awaitExit()).isZero();
      }
      assertThat(socket).doesNotExist();
    }
  }

  @Test
  void sigint_endsCleanWithStatusZero() throws Exception {
    try (ChildProcess manager = serve()) {
      ready(manager);
      manager.signal("INT");

      assertThat(manager.awaitExit()).isZero();
    }
  }

  @Test
  void secondSignal_endsAtOnceWithTheSignalsStatus() throws Exception {
    try (ChildProcess manager = serve(ServeMain.HOLD)) {
      ready(manager);
      manager.signal("TERM");
      manager.awaitLine(ServeMain.HELD);
      manager.signal("TERM");

      assertThat(manager.awaitExit()).isEqualTo(143);
    }
  }

  @Test
  void secondManager_onTheSamePath_saysSoAndLeavesTheFirstAlone() throws Exception {
    try (ChildProcess first = serve()) {
      Path socket = ready(first);
      try (ChildProcess second = serve()) {
        assertThat(second.awaitExit()).isEqualTo(1);
        List<String> lines = second.rest();
        assertThat(lines).hasSize(1);
        assertThat(lines.getFirst())
            .contains("another Manager (process [" + first.pid() + "])", socket.toString());
      }
      try (Engine engine = new Engine(socket, "model")) {
        engine.publish(1, 4);
      }
      first.signal("TERM");
      assertThat(first.awaitExit()).isZero();
    }
  }

  @Test
  void killedManager_leavesAPathThatTheNextOneTakes() throws Exception {
    Path socket;
    try (ChildProcess first = serve()) {
      socket = ready(first);
      first.kill();
    }
    assertThat(socket).exists();
    try (ChildProcess second = serve()) {
      assertThat(ready(second)).isEqualTo(socket);
      try (Engine engine = new Engine(socket, "model")) {
        engine.publish(1, 4);
      }
    }
  }

  @Test
  void fileInTheWay_isRefusedInOneLine() throws Exception {
    ManagerUnderTest.config(home);
    Path socket = home.resolve("run/manager.sock");
    Files.createDirectories(socket.getParent());
    Files.writeString(socket, "not a socket");
    try (ChildProcess manager = serve()) {
      assertThat(manager.awaitExit()).isEqualTo(2);
      assertThat(manager.rest())
          .singleElement()
          .asString()
          .contains("[" + socket + "]", "is no socket");
    }
    assertThat(socket).hasContent("not a socket");
  }

  private ChildProcess serve(String... more) throws IOException {
    ManagerUnderTest.config(home);
    String[] arguments = new String[more.length + 1];
    arguments[0] = home.toString();
    System.arraycopy(more, 0, arguments, 1, more.length);
    return ChildProcess.start(ServeMain.class, arguments);
  }

  private static Path ready(ChildProcess manager) throws InterruptedException {
    String line = manager.awaitLine(ServeMain.READY);
    return Path.of(line.substring(line.indexOf(ServeMain.READY) + ServeMain.READY.length()));
  }
}
