package io.orbitkv.manager.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.orbitkv.manager.environment.ManagerException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketClaimTest {
  @TempDir Path folder;

  @Test
  void missingFolder_isMadeForItsUserAlone() throws Exception {
    Path socket = folder.resolve("a/b/manager.sock");
    try (SocketClaim claim = SocketClaim.of(socket)) {
      assertThat(claim.path()).isEqualTo(socket);
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
          .isEqualTo("rwx------");
    }
  }

  @Test
  void claimedPath_isRefusedUntilItIsGivenBack() throws Exception {
    Path socket = folder.resolve("manager.sock");
    try (SocketClaim claim = SocketClaim.of(socket)) {
      assertThatThrownBy(() -> SocketClaim.of(claim.path()).close())
          .isInstanceOfSatisfying(
              ManagerException.class,
              refused -> assertThat(refused.exitStatus()).isEqualTo(ManagerException.RUNTIME))
          .hasMessageContaining(
              "another Manager (process [" + ProcessHandle.current().pid() + "])");
    }
    SocketClaim.of(socket).close();
  }

  @Test
  void folderThatEverybodyCanChange_isRefused() throws Exception {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(usage(open.resolve("manager.sock"))).contains("can be changed by everybody");
    Files.setAttribute(open, "unix:mode", 01777);
    SocketClaim.of(open.resolve("manager.sock")).close();
  }

  @Test
  void lockFileThatIsALink_isRefusedAndItsTargetLeftAlone() throws Exception {
    Path precious = Files.writeString(folder.resolve("precious.txt"), "content");
    Files.createSymbolicLink(folder.resolve("manager.sock.lock"), precious);
    assertThat(usage(folder.resolve("manager.sock"))).contains("is a symbolic link");
    assertThat(precious).hasContent("content");
  }

  @Test
  void staleSocket_isRemoved() throws Exception {
    Path socket = folder.resolve("manager.sock");
    try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      server.bind(UnixDomainSocketAddress.of(socket));
    }
    assertThat(socket).exists();
    SocketClaim.of(socket).close();
    assertThat(socket).doesNotExist();
  }

  @Test
  void somethingElseThere_isLeftAlone() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x");
    Path directory = Files.createDirectory(folder.resolve("directory"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), file);

    assertThat(usage(file)).contains("is no socket");
    assertThat(usage(directory)).contains("is no socket");
    assertThat(usage(link)).contains("is no socket");
    assertThat(file).hasContent("x");
  }

  @Test
  void longPath_isRefusedWithItsLength() {
    Path socket = folder.resolve("x".repeat(SocketClaim.MOST_PATH_BYTES));
    assertThat(usage(socket)).contains("at most 107");
  }

  @Test
  void folderThatIsAFile_isRefused() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x");
    assertThat(usage(file.resolve("manager.sock"))).contains("[" + file + "]");
    assertThat(usage(file.resolve("deeper/manager.sock"))).contains("[" + file);
  }

  @Test
  void root_isNoPath() {
    assertThat(usage(Path.of("/"))).contains("names no file");
  }

  @Test
  void refusal_givesTheLockBack() throws Exception {
    Path file = Files.writeString(folder.resolve("manager.sock"), "x");
    assertThatThrownBy(() -> SocketClaim.of(file)).isInstanceOf(ManagerException.class);
    Files.delete(file);
    SocketClaim.of(file).close();
  }

  @Test
  void folderThatOthersWriteTo_isRefusedWhereTheManagerChoseIt() throws Exception {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwx---"));
    Path socket = open.resolve("manager.sock");

    SocketClaim.of(socket, false).close();
    assertThat(usage(socket, true)).contains("[" + open + "] is not this user's alone");
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    SocketClaim.of(socket, true).close();
  }

  @Test
  void folderThatIsALink_isRefusedWhereTheManagerChoseIt() throws Exception {
    Path real = Files.createDirectory(folder.resolve("real"));
    Files.setPosixFilePermissions(real, PosixFilePermissions.fromString("rwx------"));
    Path link = Files.createSymbolicLink(folder.resolve("link"), real);

    assertThat(usage(link.resolve("manager.sock"), true)).contains("is not this user's alone");
    assertThat(real).isEmptyDirectory();
  }

  private static String usage(Path socket) {
    return usage(socket, false);
  }

  private static String usage(Path socket, boolean chosenHere) {
    ManagerException refused =
        catchThrowableOfType(
            ManagerException.class, () -> SocketClaim.of(socket, chosenHere).close());
    assertThat(refused.exitStatus()).isEqualTo(ManagerException.USAGE);
    assertThat(refused.getMessage()).doesNotContain("\n");
    return refused.getMessage();
  }
}
