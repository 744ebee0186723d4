package io.orbitkv.manager.config;

import com.sun.management.OperatingSystemMXBean;
import io.orbitkv.api.settings.ByteSize;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the configuration derives values from. Injected, so that a test can be any machine.
 *
 * @param environment variables of the process
 * @param uid user id of the process
 * @param memoryLimitBytes what the process may use: the control group's limit where there is one
 * @param heapBytes largest size of the Java heap
 * @param home where OrbitKV is installed
 */
public record HostFacts(
    Map<String, String> environment, long uid, long memoryLimitBytes, long heapBytes, Path home) {
  private static final long NATIVE_OVERHEAD_BYTES = 512L << 20;
  private static final int NATIVE_OVERHEAD_DIVISOR = 4;
  private static final long LAUNCHER_HEAP_BYTES = 512L << 20;
  private static final Pattern HEAP = Pattern.compile("(\\d{1,12})([kmgt]?)");

  /** Copies the environment. */
  public HostFacts {
    environment = Map.copyOf(environment);
  }

  /** This process on this machine: for {@code serve}. */
  public static HostFacts detect() {
    return of(Runtime.getRuntime().maxMemory());
  }

  /**
   * What {@code serve} would find here, for commands that run with another heap than it: the heap
   * that {@code $ORBITKV_HEAP} names, or the launcher's default of 512 MiB.
   */
  public static HostFacts detectForServe() {
    return of(heap(System.getenv().getOrDefault("ORBITKV_HEAP", "")));
  }

  private static HostFacts of(long heapBytes) {
    try {
      Object uid = Files.getAttribute(Path.of("/proc/self"), "unix:uid");
      long limitBytes =
          ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
      return new HostFacts(
          System.getenv(),
          ((Number) uid).longValue(),
          limitBytes,
          heapBytes,
          Path.of(System.getProperty("orbitkv.home", ".")).toAbsolutePath().normalize());
    } catch (IOException noProc) {
      throw new UncheckedIOException("/proc is needed to tell the user of this process", noProc);
    }
  }

  /**
   * A heap as {@code -Xmx} takes it; Java itself refuses another form when {@code serve} starts.
   */
  static long heap(String text) {
    Matcher matcher = HEAP.matcher(text.strip().toLowerCase(Locale.ROOT));
    return matcher.matches()
        ? ByteSize.parse(matcher.group(1) + matcher.group(2) + "b").bytes()
        : LAUNCHER_HEAP_BYTES;
  }

  /**
   * What the process needs beside heap and pool: code, class data, stacks, tables outside of the
   * heap. An estimate on the safe side, less where the limit is small.
   */
  public long nativeOverheadBytes() {
    return Math.min(NATIVE_OVERHEAD_BYTES, memoryLimitBytes / NATIVE_OVERHEAD_DIVISOR);
  }

  /** An environment variable that holds an absolute path. */
  Optional<Path> directory(String variable) {
    String value = environment.getOrDefault(variable, "");
    return value.startsWith("/") ? Optional.of(Path.of(value)) : Optional.empty();
  }

  /** A private folder of this user where no other place is known. */
  Path temporary() {
    return Path.of("/tmp", "orbitkv-" + uid);
  }
}
