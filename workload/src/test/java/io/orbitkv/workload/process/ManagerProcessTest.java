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
  void deleteFolder_onlyWhatAManagerLeaves_removesIt() throws IOException {
    Path own = Files.createDirectory(folder.resolve("own"));
    for (String name : new String[] {"manager.sock", "manager.sock.lock", "manager.log"}) {
      Files.createFile(own.resolve(name));
    }

    ManagerProcess.deleteFolder(own);

    assertThat(own).doesNotExist();
  }

  @Test
  void deleteFolder_foreignFilesInIt_leavesThemAlone() throws IOException {
    Path home = Files.createDirectory(folder.resolve("home"));
    Path below = Files.createDirectory(home.resolve("folder"));
    Files.createFile(home.resolve("manager.sock"));
    Files.createFile(home.resolve("precious.txt"));
    Files.createFile(below.resolve("deep.txt"));

    ManagerProcess.deleteFolder(home);

    assertThat(home.resolve("precious.txt")).exists();
    assertThat(below.resolve("deep.txt")).exists();
    assertThat(home.resolve("manager.sock")).doesNotExist();
  }

  @Test
  void deleteFolder_absent_doesNothing() {
    ManagerProcess.deleteFolder(folder.resolve("never-there"));
  }
}
