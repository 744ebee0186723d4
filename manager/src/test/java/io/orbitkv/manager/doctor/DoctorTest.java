package io.orbitkv.manager.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.plugin.Finding;
import io.orbitkv.api.plugin.Finding.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DoctorTest {
  private static final Path HUGE = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
  private static final Path SWITCH = Path.of("/proc/sys/kernel/io_uring_disabled");
  private static final Path LIMITS = Path.of("/proc/self/limits");

  @TempDir Path folder;

  private final Map<Path, String> files = new HashMap<>();
  private int release = 25;
  private String nativeProblem = "";
  private String namespace = "pid:[4026531836]";
  private int ringError;
  private String directProblem = "";

  private final Machine machine =
      new Machine() {
        @Override
        public List<String> lines(Path file) {
          return files.getOrDefault(file, "").lines().toList();
        }

        @Override
        public String link(Path file) {
          return namespace;
        }

        @Override
        public int javaRelease() {
          return release;
        }

        @Override
        public String nativeAccessProblem() {
          return nativeProblem;
        }

        @Override
        public int ringSetupError() {
          return ringError;
        }

        @Override
        public long directBlockBytes(Path where) throws IOException {
          if (!directProblem.isEmpty()) {
            throw new IOException(directProblem);
          }
          return 4096;
        }
      };

  private final MachineChecks checks = new MachineChecks(machine);

  @Test
  void all_onAGoodMachine_isGood() {
    files.put(HUGE, "always [madvise] never");
    files.put(LIMITS, "Max locked memory         unlimited            unlimited            bytes");
    assertThat(checks.all()).extracting(Finding::verdict).containsOnly(Verdict.GOOD).hasSize(6);
  }

  @Test
  void all_onAPoorMachine_saysWhatToDo() {
    release = 21;
    nativeProblem = "denied";
    namespace = "pid:[4026532001]";
    ringError = 1;
    files.put(HUGE, "always madvise [never]");
    files.put(LIMITS, "Max locked memory         8388608              8388608              bytes");
    List<Finding> found = checks.all();
    assertThat(found).allSatisfy(each -> assertThat(each.remedy()).isNotEmpty());
    assertThat(found)
        .extracting(Finding::verdict)
        .containsExactly(
            Verdict.BAD, Verdict.BAD, Verdict.NOTE, Verdict.NOTE, Verdict.NOTE, Verdict.NOTE);
    assertThat(checks.lockedMemory().found()).isEqualTo("8388608 bytes");
  }

  @Test
  void ring_thatIsNotPermitted_namesWhoForbidsIt() {
    ringError = 1;
    assertThat(checks.ring().remedy()).contains("seccomp");
    files.put(SWITCH, "2");
    assertThat(checks.ring().remedy()).contains("sysctl kernel.io_uring_disabled=0: it is 2");
    ringError = 38;
    assertThat(checks.ring().remedy()).contains("Linux 5.6");
    ringError = 12;
    assertThat(checks.ring().remedy()).contains("ulimit -l");
    ringError = 22;
    assertThat(checks.ring().found()).contains("error 22");
  }

  @Test
  void socketFolder_isToBeMadeOrPrivate() throws IOException {
    assertThat(ConfiguredChecks.socketFolder(folder.resolve("new/manager.sock")).verdict())
        .isEqualTo(Verdict.GOOD);
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertThat(ConfiguredChecks.socketFolder(open.resolve("manager.sock")).verdict())
        .isEqualTo(Verdict.NOTE);
    Path file = Files.createFile(folder.resolve("file"));
    assertThat(ConfiguredChecks.socketFolder(file.resolve("manager.sock")).verdict())
        .isEqualTo(Verdict.BAD);
    assertThat(ConfiguredChecks.socketFolder(Path.of("manager.sock")).verdict())
        .isEqualTo(Verdict.BAD);
  }

  @Test
  void direct_looksAtTheFolderOfTheStore() {
    Path store = folder.resolve("store");
    assertThat(ConfiguredChecks.direct(machine, store).verdict()).isEqualTo(Verdict.GOOD);
    directProblem = "Invalid argument";
    Finding refused = ConfiguredChecks.direct(machine, store);
    assertThat(refused.verdict()).isEqualTo(Verdict.BAD);
    assertThat(refused.found()).contains("Invalid argument");
    assertThat(ConfiguredChecks.direct(machine, folder).verdict()).isEqualTo(Verdict.BAD);
    assertThat(ConfiguredChecks.direct(machine, folder.resolve("no/store")).verdict())
        .isEqualTo(Verdict.BAD);
  }

  @Test
  void thisMachine_answersEverything() throws IOException {
    assertThat(Doctor.machine()).hasSize(6);
    assertThat(new ThisMachine().link(folder.resolve("no"))).isEmpty();
    assertThat(new ThisMachine().lines(folder.resolve("no"))).isEmpty();
    assertThat(new ThisMachine().nativeAccessProblem()).isEmpty();
    // Not every file system of a build has direct I/O; nothing is left behind either way.
    ConfiguredChecks.direct(new ThisMachine(), folder.resolve("store"));
    try (var left = Files.list(folder)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void finding_thatIsNotGood_saysWhatToDo() {
    assertThatThrownBy(() -> Finding.bad("check", "found", " "))
        .hasMessage("check [check] found [found] and does not say what to do");
  }
}
