package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What needs a file system or block device of its own; skipped where those are not permitted. */
class MountedDeviceTest {
  private static final long MB = 1L << 20;

  private final List<Path> mounts = new ArrayList<>();
  private final List<String> loops = new ArrayList<>();

  @TempDir Path folder;

  @AfterEach
  void release() throws Exception {
    for (Path mount : mounts) {
      command("umount", mount.toString());
    }
    for (String loop : loops) {
      command("losetup", "-d", loop);
    }
  }

  @Test
  void open_smallFileSystem_isRefusedAndLeavesNoFile() throws Exception {
    Path mount = mountMemory("size=2m");
    Path path = mount.resolve("store");
    assertThatThrownBy(() -> DeviceFile.open(path, 8 * MB, false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space left")
        .hasMessageContaining("capacity smaller");
    assertThat(path).doesNotExist();
    DeviceFile.open(path, MB, false).close();
  }

  @Test
  void open_readOnlyFileSystem_saysSo() throws Exception {
    Path mount = mountMemory("size=2m");
    Path path = mount.resolve("store");
    DeviceFile.open(path, MB, false).close();
    assumeThat(command("mount", "-o", "remount,ro", mount.toString())).isZero();
    assertThatThrownBy(() -> DeviceFile.open(path, MB, false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("Read-only")
        .hasMessageContaining("mount the file system for writing");
    assertThatThrownBy(() -> DeviceFile.open(mount.resolve("other"), MB, false))
        .hasMessageContaining("Read-only");
  }

  @Test
  void open_blockDevice_isReadAndWrittenAndHeldAlone() throws Exception {
    Path image = folder.resolve("image");
    Files.write(image, new byte[8 << 20]);
    assumeThat(Files.exists(Path.of("/dev/loop-control"))).isTrue();
    Process process = new ProcessBuilder("losetup", "-f", "--show", image.toString()).start();
    String loop = process.inputReader().readLine();
    assumeThat(loop).isNotNull();
    loops.add(loop);
    Path path = Path.of(loop);
    try (Buffers buffers = new Buffers();
        DeviceFile file = DeviceFile.open(path, 0, TestFolders.direct(folder))) {
      assertThat(file.blockDevice()).isTrue();
      assertThat(file.geometry().sizeBytes()).isEqualTo(8 * MB);
      MemorySegment written = buffers.filled(MB, 4);
      file.write(MB, written.address(), MB);
      file.sync();
      MemorySegment read = buffers.allocate(MB);
      file.read(MB, read.address(), MB);
      assertThat(Buffers.holds(read, 4, 0)).isTrue();
      assertThat(file.change()).isEmpty();
      assertThatThrownBy(() -> DeviceFile.open(path, 0, false))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("in use");
      assertThatThrownBy(() -> file.grow(64 * MB)).hasMessageContaining("[8388608] bytes");
    }
  }

  private Path mountMemory(String options) throws Exception {
    Path mount = Files.createDirectory(folder.resolve("mount"));
    assumeThat(command("mount", "-t", "tmpfs", "-o", options, "none", mount.toString())).isZero();
    mounts.add(mount);
    return mount;
  }

  /** Exit status; not 0 where the program is missing. */
  private static int command(String... words) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
      assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
      return process.exitValue();
    } catch (IOException missing) {
      return -1;
    }
  }
}
