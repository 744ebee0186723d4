package io.orbitkv.workload.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ManagerProcessTest {
  @TempDir Path folder;

  @Test
  void removeRemains_onlyWhatAManagerLeaves_removesTheFolder() throws IOException {
    Path own = withRemains("orbitkv-own-1234");

    ManagerProcess.removeRemains(own.resolve("manager.sock"));

    assertThat(own).doesNotExist();
  }

  @Test
  void removeRemains_foreignFilesInTheFolder_leavesThemAlone() throws IOException {
    Path own = withRemains("orbitkv-own-1234");
    Path foreign = Files.createFile(own.resolve("precious.txt"));
    Path deep = Files.createFile(Files.createDirectory(own.resolve("below")).resolve("deep.txt"));

    ManagerProcess.removeRemains(own.resolve("manager.sock"));

    assertThat(foreign).exists();
    assertThat(deep).exists();
    assertThat(own.resolve("manager.sock")).doesNotExist();
    assertThat(own.resolve("manager.sock.lock")).doesNotExist();
  }

  @Test
  void removeRemains_socketOfSomebodyElsesFolder_touchesNothing() throws IOException {
    Path home = withRemains("home");
    Path byDefault = withRemains("orbitkv-1000");
    Path other = withRemains("orbitkv-own-5678");

    ManagerProcess.removeRemains(home.resolve("manager.sock"));
    ManagerProcess.removeRemains(byDefault.resolve("manager.sock"));
    ManagerProcess.removeRemains(other.resolve("m.sock"));
    ManagerProcess.removeRemains(Path.of("manager.sock"));
    ManagerProcess.removeRemains(Path.of("/"));

    for (Path kept : new Path[] {home, byDefault, other}) {
      assertThat(kept.resolve("manager.sock")).exists();
      assertThat(kept.resolve("manager.sock.lock")).exists();
    }
  }

  @Test
  void removeRemains_absentFolder_doesNothing() {
    ManagerProcess.removeRemains(folder.resolve("orbitkv-own-0").resolve("manager.sock"));

    assertThat(folder).isEmptyDirectory();
  }

  /** The launcher says what a Manager runs with; a command that starts one says the same. */
  @Test
  void options_areThoseOfTheLauncher() throws IOException {
    String launcher =
        Files.readString(
            Path.of(System.getProperty("basedir", "."), "../distribution/src/main/bin/orbitkv"));

    assertThat(launcher)
        .contains(ManagerProcess.JAVA_OPTIONS)
        .contains("-Xms$heap -Xmx$heap")
        .contains("-D" + ManagerProcess.HEAP_PROPERTY + "=\"$heap\"");
    for (String option : ManagerProcess.heapOptions()) {
      assertThat(launcher).contains("heap=${ORBITKV_HEAP:-" + option.substring(4) + "}");
    }
  }

  @Test
  void heapOptions_launcherWasGivenAHeap_areOfThatSize() {
    System.setProperty(ManagerProcess.HEAP_PROPERTY, "768m");
    try {
      assertThat(ManagerProcess.heapOptions()).containsExactly("-Xms768m", "-Xmx768m");
    } finally {
      System.clearProperty(ManagerProcess.HEAP_PROPERTY);
    }
  }

  private Path withRemains(String name) throws IOException {
    Path made = Files.createDirectory(folder.resolve(name));
    for (String file : new String[] {"manager.sock", "manager.sock.lock"}) {
      Files.createFile(made.resolve(file));
    }
    return made;
  }
}
