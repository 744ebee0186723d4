package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SharedMemoryFileTest {
  private static final long PID = ProcessHandle.current().pid();

  @Test
  void openForeign_sealedFile_sharesItsBytes() throws IOException {
    try (SharedMemoryFile owner = SharedMemoryFile.create("orbitkv-test", 8192);
        SharedMemoryFile other =
            SharedMemoryFile.openForeign(PID, owner.descriptor(), owner.bytes())) {
      owner.segment().set(ValueLayout.JAVA_LONG, 4096, 42);
      assertThat(other.segment().get(ValueLayout.JAVA_LONG, 4096)).isEqualTo(42);

      other.segment().set(ValueLayout.JAVA_LONG, 0, 43);
      assertThat(owner.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(43);
      assertThat(owner.deviceMemory().pid()).isEqualTo(PID);
      assertThat(owner.deviceMemory().bytes()).isEqualTo(8192);
    }
  }

  @Test
  void create_file_refusesTruncationByAnybody() throws IOException {
    try (SharedMemoryFile owner = SharedMemoryFile.create("orbitkv-test", 8192);
        FileChannel channel =
            FileChannel.open(
                Path.of("/proc/self/fd/" + owner.descriptor()), StandardOpenOption.WRITE)) {
      assertThatIOException().isThrownBy(() -> channel.truncate(0));
      assertThat(channel.size()).isEqualTo(8192);
    }
  }

  @Test
  void openForeign_unsealedMemory_isRefusedWithTheRemedy() throws IOException {
    int descriptor = LibC.createMemoryFile("orbitkv-test-unsealed");
    try {
      LibC.truncate(descriptor, 4096);
      assertThatIOException()
          .isThrownBy(() -> SharedMemoryFile.openForeign(PID, descriptor, 4096))
          .withMessageContaining("needs [SHRINK|GROW]")
          .withMessageContaining("F_ADD_SEALS");
    } finally {
      LibC.closeDescriptor(descriptor);
    }
  }

  @Test
  void openForeign_memoryThatCanStillShrinkOrGrow_isRefused() throws IOException {
    for (int seals :
        new int[] {SealedMemory.SEAL_SHRINK, SealedMemory.SEAL_GROW, SealedMemory.SEAL_SEAL}) {
      try (SealedMemory owner = SealedMemory.create("orbitkv-test-half", 4096, seals)) {
        assertThatIOException()
            .isThrownBy(() -> SharedMemoryFile.openForeign(PID, owner.descriptor(), 4096))
            .withMessageContaining("has the seals [" + SealedMemory.names(seals) + "]")
            .withMessageContaining("needs [SHRINK|GROW]");
      }
    }
  }

  @Test
  void openForeign_memoryShrunkBeforeItWasSealed_isRefusedByItsSize() throws IOException {
    int descriptor = LibC.createMemoryFile("orbitkv-test-shrunk");
    try {
      LibC.truncate(descriptor, 8192);
      LibC.truncate(descriptor, 4096);
      LibC.addSeals(descriptor, SealedMemory.SEAL_SHRINK | SealedMemory.SEAL_GROW);
      assertThatIOException()
          .isThrownBy(() -> SharedMemoryFile.openForeign(PID, descriptor, 8192))
          .withMessageContaining("[4096] bytes and should have [8192]");
    } finally {
      LibC.closeDescriptor(descriptor);
    }
  }

  @Test
  void openForeign_memorySealedAgainstWriting_isRefused() throws IOException {
    int seals = SealedMemory.SEAL_SHRINK | SealedMemory.SEAL_GROW | SealedMemory.SEAL_FUTURE_WRITE;
    try (SealedMemory owner = SealedMemory.create("orbitkv-test-fixed", 4096, seals)) {
      assertThatIOException()
          .isThrownBy(() -> SharedMemoryFile.openForeign(PID, owner.descriptor(), 4096));
    }
  }

  @Test
  void openForeign_wrongSize_isRefused() throws IOException {
    try (SharedMemoryFile owner = SharedMemoryFile.create("orbitkv-test", 8192)) {
      assertThatIOException()
          .isThrownBy(() -> SharedMemoryFile.openForeign(PID, owner.descriptor(), 4096))
          .withMessageContaining("[8192] bytes and should have [4096]");
    }
  }

  @Test
  void openForeign_deviceTerminalPipeOrFile_isRefusedUnopened(@TempDir Path folder)
      throws IOException, InterruptedException {
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Path file = Files.createFile(folder.resolve("memfd:file"));
    for (String path :
        new String[] {"/dev/null", "/dev/zero", "/dev/ptmx", pipe.toString(), file.toString()}) {
      int descriptor = LibC.openFile(path, LibC.O_RDWR | LibC.O_NONBLOCK, 0);
      try {
        assertThatIOException()
            .as(path)
            .isThrownBy(() -> SharedMemoryFile.openForeign(PID, descriptor, 4096))
            .withMessageContaining("], not a memfd");
      } finally {
        LibC.closeDescriptor(descriptor);
      }
    }
  }

  @Test
  void close_unmapsAndClosesTheDescriptor() throws IOException {
    SharedMemoryFile file = SharedMemoryFile.create("orbitkv-test-closed", 4096);
    assertThat(mapped("orbitkv-test-closed")).isTrue();

    file.close();
    file.close();

    assertThat(mapped("orbitkv-test-closed")).isFalse();
    assertThatIllegalStateException()
        .isThrownBy(() -> file.segment().get(ValueLayout.JAVA_BYTE, 0));
  }

  @Test
  void openForeign_refused_leavesNothingMappedOrOpen() throws IOException {
    try (SharedMemoryFile owner = SharedMemoryFile.create("orbitkv-test-refused", 8192)) {
      long before = descriptors("orbitkv-test-refused");
      for (int i = 0; i < 10; i++) {
        assertThatIOException()
            .isThrownBy(() -> SharedMemoryFile.openForeign(PID, owner.descriptor(), 4096));
      }
      assertThat(descriptors("orbitkv-test-refused")).isEqualTo(before);
    }
  }

  @Test
  void create_noBytes_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> SharedMemoryFile.create("empty", 0));
  }

  private static boolean mapped(String name) throws IOException {
    return Files.readString(Path.of("/proc/self/maps")).contains(name);
  }

  private static long descriptors(String name) throws IOException {
    long count = 0;
    try (var folder = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path link : folder) {
        count += isLinkTo(link, name) ? 1 : 0;
      }
    }
    return count;
  }

  private static boolean isLinkTo(Path link, String name) {
    try {
      return Files.readSymbolicLink(link).toString().contains(name);
    } catch (IOException gone) {
      // The descriptor of the listing itself.
      return false;
    }
  }
}
