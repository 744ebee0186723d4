package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceFileTest {
  private static final long MB = 1L << 20;

  @TempDir Path folder;

  @Test
  void open_newFile_isPrivateAndHasItsSpace() throws IOException {
    Path path = folder.resolve("store");
    try (DeviceFile file = open(path, 8 * MB + 100)) {
      Geometry geometry = file.geometry();
      assertThat(geometry.sizeBytes()).isEqualTo(8 * MB);
      assertThat(geometry.blockBytes()).isGreaterThanOrEqualTo(4096);
      assertThat(Integer.bitCount(geometry.blockBytes())).isEqualTo(1);
      assertThat(Integer.bitCount(geometry.memoryAlignment())).isEqualTo(1);
      assertThat(geometry.direct()).isEqualTo(TestFolders.direct(folder));
      assertThat(file.blockDevice()).isFalse();
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
          .isEqualTo("rw-------");
      assertThat(FileStatus.of(path.toString()))
          .isInstanceOfSatisfying(
              SystemResult.Done.class,
              done ->
                  assertThat(((FileStatus) done.value()).allocatedBytes())
                      .isGreaterThanOrEqualTo(8 * MB));
    }
  }

  @Test
  void readAndWrite_blocks_moveEveryByte() throws IOException {
    try (Buffers buffers = new Buffers();
        DeviceFile file = open(folder.resolve("store"), 8 * MB)) {
      MemorySegment written = buffers.filled(3 * MB, 1);
      file.write(4096, written.address(), written.byteSize());
      file.sync();
      MemorySegment read = buffers.allocate(3 * MB);
      file.read(4096, read.address(), read.byteSize());
      assertThat(Buffers.holds(read, 1, 0)).isTrue();
      MemorySegment fresh = buffers.filled(4096, 9);
      file.read(0, fresh.address(), 4096);
      assertThat(fresh.mismatch(MemorySegment.ofArray(new byte[4096]))).isEqualTo(-1);
    }
  }

  @Test
  void read_beyondTheEnd_saysWhereItEnded() throws IOException {
    Path path = folder.resolve("store");
    try (Buffers buffers = new Buffers();
        DeviceFile file = open(path, 8 * MB)) {
      truncate(path, MB);
      MemorySegment memory = buffers.allocate(2 * MB);
      assertThatThrownBy(() -> file.read(0, memory.address(), 2 * MB))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("[" + path + "]")
          .hasMessageContaining("[1048576]");
    }
  }

  @Test
  void open_fileWithContent_keepsContentAndSizeUntilItIsGrown() throws IOException {
    Path path = folder.resolve("store");
    byte[] content = new byte[12_288];
    content[5000] = 42;
    Files.write(path, content);
    try (DeviceFile file = open(path, 8 * MB)) {
      assertThat(file.geometry().sizeBytes()).isEqualTo(12_288);
      assertThat(Files.readAllBytes(path)).isEqualTo(content);

      file.grow(4096);
      assertThat(file.geometry().sizeBytes()).isEqualTo(12_288);
      file.grow(MB);
      assertThat(file.geometry().sizeBytes()).isEqualTo(MB);
      assertThat(Files.size(path)).isEqualTo(MB);
      assertThat(file.change()).isEmpty();
    }
  }

  @Test
  void open_sparseFile_getsItsSpace() throws IOException {
    Path path = folder.resolve("store");
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(java.nio.ByteBuffer.wrap(new byte[] {1}), 4 * MB - 1);
    }
    try (DeviceFile file = open(path, 0)) {
      assertThat(file.geometry().sizeBytes()).isEqualTo(4 * MB);
      assertThat(((SystemResult.Done<FileStatus>) FileStatus.of(path.toString())).value())
          .satisfies(status -> assertThat(status.allocatedBytes()).isGreaterThanOrEqualTo(4 * MB));
    }
  }

  @Test
  void open_twice_isRefusedUntilTheFirstIsClosed() throws IOException {
    Path path = folder.resolve("store");
    DeviceFile first = open(path, MB);
    assertThatThrownBy(() -> open(path, MB))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("in use by another Manager");
    // Closing another descriptor of the file drops no lock.
    Files.readAllBytes(path);
    assertThatThrownBy(() -> open(path, MB)).isInstanceOf(IOException.class);
    first.close();
    first.close();
    open(path, MB).close();
  }

  @Test
  void open_whileAnotherProcessHoldsIt_isRefused() throws Exception {
    Path path = folder.resolve("store");
    open(path, MB).close();
    Process holder =
        new ProcessBuilder("flock", "-n", path.toString(), "sh", "-c", "echo held; cat")
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try {
      assertThat(holder.inputReader().readLine()).isEqualTo("held");
      assertThatThrownBy(() -> open(path, MB))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use by another Manager");
    } finally {
      holder.outputWriter().close();
      assertThat(holder.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    open(path, MB).close();
  }

  @Test
  void change_fileIsTruncatedReplacedOrRemoved_isToldInWords() throws IOException {
    Path path = folder.resolve("store");
    try (DeviceFile file = open(path, 8 * MB)) {
      assertThat(file.change()).isEmpty();
      truncate(path, MB);
      assertThat(file.change().orElseThrow()).contains("[1048576] bytes now, not [8388608]");
      Files.write(folder.resolve("other"), new byte[100]);
      Files.move(folder.resolve("other"), path, StandardCopyOption.REPLACE_EXISTING);
      assertThat(file.change().orElseThrow()).contains("another file");
      Files.delete(path);
      assertThat(file.change().orElseThrow()).contains("No such file");
    }
  }

  @Test
  void open_impossiblePaths_sayWhatToDo() throws IOException {
    assertThatThrownBy(() -> open(folder.resolve("missing/store"), MB))
        .hasMessageContaining("folder must exist");
    assertThatThrownBy(() -> open(folder, MB)).hasMessageContaining("name a file");
    assertThatThrownBy(() -> open(Path.of("/dev/null"), MB)).hasMessageContaining("name a file");
    Path small = folder.resolve("small");
    assertThatThrownBy(() -> open(small, 100)).hasMessageContaining("capacity larger");
    assertThat(small).doesNotExist();
    Path plain = Files.createFile(folder.resolve("plain"));
    assertThatThrownBy(() -> open(plain.resolve("store"), MB))
        .hasMessageContaining("folder must exist");
  }

  @Test
  void open_moreThanTheFileSystemHas_isRefusedAndLeavesNoFile() {
    Path path = folder.resolve("store");
    assertThatThrownBy(() -> open(path, 1L << 43))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("[8796093022208] bytes")
        .hasMessageContaining("capacity smaller");
    assertThat(path).doesNotExist();
  }

  @Test
  void grow_moreThanTheFileSystemHas_keepsTheSize() throws IOException {
    Path path = folder.resolve("store");
    try (DeviceFile file = open(path, MB)) {
      assertThatThrownBy(() -> file.grow(1L << 43)).isInstanceOf(IOException.class);
      assertThat(Files.size(path)).isEqualTo(MB);
      assertThat(file.geometry().sizeBytes()).isEqualTo(MB);
    }
  }

  @Test
  void open_fileSystemInMemory_isRefusedUnlessThePageCacheIsAccepted() throws IOException {
    Path memory = Path.of("/dev/shm");
    assumeThat(Files.isWritable(memory)).isTrue();
    assumeThat(Files.getFileStore(memory).type()).isEqualTo("tmpfs");
    Path path = memory.resolve("orbitkv-test-" + ProcessHandle.current().pid());
    try {
      assertThatThrownBy(() -> DeviceFile.open(path, MB, true))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("[direct: off]");
      assertThat(path).doesNotExist();
      try (DeviceFile file = DeviceFile.open(path, MB, false)) {
        assertThat(file.geometry().direct()).isFalse();
        assertThat(file.geometry().memoryAlignment()).isEqualTo(1);
      }
    } finally {
      Files.deleteIfExists(path);
    }
  }

  private static DeviceFile open(Path path, long bytes) throws IOException {
    Path parent = path.toAbsolutePath().getParent();
    boolean direct = parent != null && Files.isDirectory(parent) && TestFolders.direct(parent);
    return DeviceFile.open(path, bytes, direct);
  }

  private static void truncate(Path path, long bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.truncate(bytes);
    }
  }
}
