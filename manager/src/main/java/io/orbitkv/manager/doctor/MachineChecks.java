package io.orbitkv.manager.doctor;

import io.orbitkv.api.plugin.Finding;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the machine offers, whatever the configuration says. */
final class MachineChecks {
  private static final int JAVA_RELEASE = 25;
  private static final Path HUGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage/enabled");
  private static final Path RING_SWITCH = Path.of("/proc/sys/kernel/io_uring_disabled");
  private static final Path LIMITS = Path.of("/proc/self/limits");
  private static final Pattern LOCKED_MEMORY = Pattern.compile("Max locked memory +(\\w+) .*");
  private static final Path PROCESSES = Path.of("/proc/self/ns/pid");

  /** The inode that Linux gives to the first process namespace of a machine. */
  private static final String FIRST_NAMESPACE = "pid:[4026531836]";

  private static final int EPERM = 1;
  private static final int ENOMEM = 12;
  private static final int EACCES = 13;
  private static final int ENOSYS = 38;

  private final Machine machine;

  MachineChecks(Machine machine) {
    this.machine = machine;
  }

  List<Finding> all() {
    return List.of(java(), nativeAccess(), hugePages(), lockedMemory(), processes(), ring());
  }

  Finding java() {
    int release = machine.javaRelease();
    String found = "release " + release;
    return release >= JAVA_RELEASE
        ? Finding.good("java", found)
        : Finding.bad(
            "java",
            found,
            "run bin/orbitkv of the distribution, which brings release " + JAVA_RELEASE);
  }

  Finding nativeAccess() {
    String problem = machine.nativeAccessProblem();
    return problem.isEmpty()
        ? Finding.good("native access", "the C library can be called")
        : Finding.bad(
            "native access",
            problem,
            "start with bin/orbitkv, or with --enable-native-access as it does; with a /tmp that is"
                + " mounted noexec, leave its -Djna options as they are");
  }

  Finding hugePages() {
    List<String> lines = machine.lines(HUGE_PAGES);
    String modes = lines.isEmpty() ? "" : lines.getFirst().strip();
    if (modes.contains("[always]") || modes.contains("[madvise]")) {
      return Finding.good("huge pages", modes);
    }
    return Finding.note(
        "huge pages",
        modes.isEmpty() ? "this system does not tell of any" : modes,
        "echo madvise > " + HUGE_PAGES + " (as root): copies get faster, the pool starts faster");
  }

  /** Copiers and rings pin memory; what that is charged to differs, so this is a hint. */
  Finding lockedMemory() {
    for (String line : machine.lines(LIMITS)) {
      Matcher limit = LOCKED_MEMORY.matcher(line);
      if (limit.matches()) {
        String soft = limit.group(1);
        String found = soft.equals("unlimited") ? soft : soft + " bytes";
        return soft.equals("unlimited")
            ? Finding.good("locked memory", found)
            : Finding.note(
                "locked memory",
                found,
                "raise it where rings or device copies cannot pin the pool: ulimit -l unlimited,"
                    + " LimitMEMLOCK=infinity for systemd, --ulimit memlock=-1 for containers");
      }
    }
    return Finding.note(
        "locked memory", "[" + LIMITS + "] does not tell it", "mount /proc in the container");
  }

  Finding processes() {
    String namespace = machine.link(PROCESSES);
    if (namespace.equals(FIRST_NAMESPACE)) {
      return Finding.good("process namespace", "that of the machine");
    }
    return Finding.note(
        "process namespace",
        namespace.isEmpty() ? "unknown" : "one of its own, " + namespace,
        "run engines in the same one (--pid=host or --pid=container:NAME), or they get their"
            + " answers over the socket alone, which is slower");
  }

  Finding ring() {
    int error = machine.ringSetupError();
    if (error == 0) {
      return Finding.good("io_uring", "a ring can be set up");
    }
    List<String> lines = machine.lines(RING_SWITCH);
    String off = lines.isEmpty() ? "0" : lines.getFirst().strip();
    String found = "io_uring_setup fails with error " + error;
    String slower = "; until then the SSD tier uses threads, which is slower";
    return switch (error) {
      case EPERM, EACCES ->
          Finding.note(
              "io_uring",
              found + " (not permitted)",
              (off.equals("0")
                      ? "let the container's seccomp profile permit it (--security-opt"
                          + " seccomp=unconfined, or a profile with the io_uring calls)"
                      : "sysctl kernel.io_uring_disabled=0: it is " + off)
                  + slower);
      case ENOSYS ->
          Finding.note(
              "io_uring",
              found + " (no such call)",
              "use Linux 5.6 or later, or a seccomp profile that permits it" + slower);
      case ENOMEM ->
          Finding.note("io_uring", found + " (no memory)", "ulimit -l unlimited" + slower);
      default -> Finding.note("io_uring", found, "see errno(3)" + slower);
    };
  }
}
