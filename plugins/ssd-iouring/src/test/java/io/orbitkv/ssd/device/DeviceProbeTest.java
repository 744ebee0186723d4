package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.testkit.TestPluginContext;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DeviceProbeTest {
  private final TestPluginContext context = new TestPluginContext("ssd-iouring");

  @TempDir Path folder;

  @AfterEach
  void close() {
    assertThat(context.runningThreads()).isEmpty();
    context.close();
  }

  @Test
  void inFolder_anyFolder_namesAnEngineAndLeavesNoFile() throws IOException {
    DeviceProbe.Report report = DeviceProbe.inFolder(folder, TestFolders.direct(folder));
    assertThat(report.choice().engine()).isIn("io-uring", "threads");
    assertThat(report.choice().reason()).isNotBlank();
    assertThat(report.choice().fallback()).isEqualTo(report.choice().engine().equals("threads"));
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void inFolder_missingFolder_saysWhatToDo() {
    assertThatThrownBy(() -> DeviceProbe.inFolder(folder.resolve("missing"), false))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("folder must exist");
  }

  @Test
  void rings_blockWithContent_leavesItAsItWas() throws IOException {
    try (Buffers buffers = new Buffers();
        DeviceFile file = open()) {
      MemorySegment block = buffers.filled(4096, 8);
      file.write(8192, block.address(), 4096);
      assertThat(DeviceProbe.rings(file, 8192))
          .satisfiesAnyOf(
              refusal -> assertThat(refusal).isEmpty(), refusal -> assertThat(refusal).isPresent());
      DeviceProbe.blocking(file, 8192);
      MemorySegment back = buffers.allocate(4096);
      file.read(8192, back.address(), 4096);
      assertThat(Buffers.holds(back, 8, 0)).isTrue();
    }
  }

  @Test
  void start_threadsAskedFor_isNoFallback() throws IOException {
    try (DeviceFile file = open()) {
      Devices.Started started = start(file, DeviceSettings.Engine.THREADS);
      started.device().close();
      assertThat(started.choice())
          .isEqualTo(new EngineChoice("threads", false, "asked for", false, ""));
    }
  }

  @Test
  void start_automatic_saysWhichAndWhy() throws IOException {
    try (DeviceFile file = open()) {
      Devices.Started started = start(file, DeviceSettings.Engine.AUTO);
      started.device().close();
      assertThat(started.choice().engine()).isEqualTo(started.device().usage().engine());
      assertThat(started.choice().reason()).isNotBlank();
    }
  }

  @Test
  void ofSetup_refusals_nameTheRemedy() {
    assertThat(IoUringRefusal.ofSetup(Errors.EPERM, "2"))
        .contains("kernel.io_uring_disabled is [2]");
    assertThat(IoUringRefusal.ofSetup(Errors.EPERM, "0")).contains("seccomp");
    assertThat(IoUringRefusal.ofSetup(Errors.EPERM, "")).contains("seccomp");
    assertThat(IoUringRefusal.ofSetup(Errors.ENOSYS, "")).contains("no io_uring");
    assertThat(IoUringRefusal.ofSetup(Errors.ENOMEM, "")).contains("ulimit -l");
    assertThat(IoUringRefusal.ofBuffers(Errors.ENOMEM)).contains("ulimit -l");
    assertThat(IoUringRefusal.ofBuffers(Errors.EFAULT)).contains("cannot be registered");
  }

  private Devices.Started start(DeviceFile file, DeviceSettings.Engine engine) throws IOException {
    return Devices.start(
        file,
        DeviceSettings.defaults().withEngine(engine),
        new Devices.Environment(0, List.of(), context.threads(), System::nanoTime, context.log()),
        (transfer, error) -> {});
  }

  private DeviceFile open() throws IOException {
    return DeviceFile.open(
        Files.createTempFile(folder, "store", ""), 1 << 20, TestFolders.direct(folder));
  }
}
