package io.orbitkv.workload.process;

import io.orbitkv.client.ClientOptions;
import io.orbitkv.client.OrbitKvClient;
import io.orbitkv.client.OrbitKvException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Manager of the caller's own: the same program in a child process, with a temporary folder for
 * its socket. What it logs is kept in memory as far as a message needs it.
 *
 * <p>It ends with {@link #close} or with this process, however that ends: the child watches its
 * parent. Not safe for several threads, except that {@link #socket} may be read by any.
 */
public final class ManagerProcess implements AutoCloseable {
  /** Hidden option of {@code serve} and {@code sim}: end when the process with this id ends. */
  public static final String PARENT_OPTION = "--exit-with-parent";

  private static final String MAIN = "io.orbitkv.cli/io.orbitkv.cli.Main";
  private static final Duration START_LIMIT = Duration.ofSeconds(60);
  private static final Duration STOP_LIMIT = Duration.ofSeconds(30);
  private static final long PAUSE_MILLIS = 10;

  /** Never the start of a folder that a socket has by default: those are named for users. */
  private static final String FOLDER_PREFIX = "orbitkv-own-";

  private static final int TAIL_LINES = 10;
  private static final int CONFIGURATION_ERROR = 2;

  /** Set by {@code bin/orbitkv}: the heap that its {@code serve} would have. */
  static final String HEAP_PROPERTY = "orbitkv.manager.heap";

  /** What the launcher says when nobody has set ORBITKV_HEAP, for starts without it. */
  private static final String DEFAULT_HEAP = "512m";

  /** What {@code bin/orbitkv serve} runs with, beside the heap. */
  static final List<String> JAVA_OPTIONS =
      List.of(
          "-XX:+UseZGC",
          "-XX:+ExitOnOutOfMemoryError",
          "--add-modules=ALL-SYSTEM",
          "--enable-native-access=io.orbitkv.wire,io.orbitkv.manager,io.orbitkv.client,io.orbitkv.cuda,com.sun.jna",
          "--illegal-native-access=deny",
          "--sun-misc-unsafe-memory-access=deny",
          "-Djava.awt.headless=true");

  /** System properties that the child gets too. */
  private static final List<String> HANDED_ON = List.of("orbitkv.", "jna.", "guice_");

  private final Path folder;
  private final Process process;
  private final LastLines log;

  private ManagerProcess(Path folder, Process process) {
    this.folder = folder;
    this.process = process;
    this.log = LastLines.of(process.getInputStream());
  }

  /**
   * Starts a Manager and waits until it takes connections.
   *
   * @param serveOptions options of {@code serve} beside socket and parent
   * @throws ManagerStartException when it does not start; nothing is left of it then
   */
  public static ManagerProcess start(List<String> serveOptions)
      throws IOException, InterruptedException, ManagerStartException {
    ManagerProcess manager = launch(serveOptions);
    try {
      manager.awaitReady();
      return manager;
    } catch (IOException
        | InterruptedException
        | ManagerStartException
        | RuntimeException failure) {
      manager.close();
      throw failure;
    }
  }

  /**
   * Starts a Manager and does not wait for it.
   *
   * @param serveOptions options of {@code serve} beside socket and parent
   */
  public static ManagerProcess launch(List<String> serveOptions) throws IOException {
    Path folder = Files.createTempDirectory(FOLDER_PREFIX);
    try {
      Process process =
          new ProcessBuilder(command(folder, serveOptions)).redirectErrorStream(true).start();
      process.getOutputStream().close();
      return new ManagerProcess(folder, process);
    } catch (IOException failure) {
      removeRemains(socket(folder));
      throw failure;
    }
  }

  /** Where it listens. */
  public Path socket() {
    return socket(folder);
  }

  /** Its process id. */
  public long pid() {
    return process.pid();
  }

  /**
   * The last lines of its log but stack frames, for a message about what went wrong; may be empty.
   */
  public String logTail() {
    List<String> lines = log.lines().stream().filter(line -> !line.startsWith("\t")).toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
  }

  /**
   * Asks the Manager to end, waits for it to drain, and ends it by force when it takes too long.
   *
   * @return its exit status; 0 after a clean drain
   */
  public int stop() {
    process.destroy();
    boolean interrupted = false;
    try {
      if (!process.waitFor(STOP_LIMIT)) {
        process.destroyForcibly();
      }
      return process.waitFor();
    } catch (InterruptedException stopped) {
      interrupted = true;
      return process.destroyForcibly().onExit().join().exitValue();
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Kills it (SIGKILL), as a crash would, and waits until it is gone. */
  public void kill() throws InterruptedException {
    int _ = process.destroyForcibly().waitFor();
  }

  /** {@link #stop}, and removes the temporary folder. */
  @Override
  public void close() {
    if (process.isAlive()) {
      stop();
    }
    removeRemains(socket(folder));
  }

  /**
   * Waits until it takes connections.
   *
   * @throws ManagerStartException when it does not start; {@link #close} it all the same
   */
  public void awaitReady() throws IOException, InterruptedException, ManagerStartException {
    long deadline = System.nanoTime() + START_LIMIT.toNanos();
    while (!accepts()) {
      if (process.waitFor(PAUSE_MILLIS, TimeUnit.MILLISECONDS)) {
        throw ended(process.exitValue());
      }
      if (System.nanoTime() > deadline) {
        throw new ManagerStartException(
            "the Manager took no connection for "
                + START_LIMIT.toSeconds()
                + " s; its log ends with:\n"
                + logTail(),
            1);
      }
    }
  }

  private boolean accepts() throws InterruptedException {
    if (!Files.exists(socket())) {
      return false;
    }
    try (OrbitKvClient client =
        OrbitKvClient.connect(socket(), ClientOptions.defaults("orbitkv-start"))) {
      return client.connected();
    } catch (IOException | OrbitKvException notYet) {
      return false;
    }
  }

  /** The Manager's own line about what is wrong, where it has one. */
  private ManagerStartException ended(int status) throws InterruptedException {
    log.awaitEnd();
    int shown = status == CONFIGURATION_ERROR ? CONFIGURATION_ERROR : 1;
    String prefix = "orbitkv: ";
    List<String> own =
        log.lines().stream()
            .filter(line -> line.startsWith(prefix))
            .map(line -> line.substring(prefix.length()))
            .toList();
    if (!own.isEmpty()) {
      return new ManagerStartException(String.join("\n", own), shown);
    }
    String tail = logTail();
    return new ManagerStartException(
        "the Manager ended with status "
            + status
            + (tail.isEmpty() ? " and wrote nothing" : "; its log ends with:\n" + tail),
        shown);
  }

  private static List<String> command(Path folder, List<String> serveOptions) {
    List<String> command = new ArrayList<>();
    // A terminal sends Ctrl-C to the child too, but it is this process that decides when the child
    // ends. A signal that is
    // ignored when a program starts stays ignored.
    command.addAll(List.of("/bin/sh", "-c", "trap '' INT; exec \"$@\"", "orbitkv"));
    command.add(java());
    command.addAll(JAVA_OPTIONS);
    command.addAll(heapOptions());
    command.addAll(program());
    command.add("serve");
    command.addAll(List.of("--socket", socket(folder).toString()));
    command.addAll(parentOption());
    command.addAll(serveOptions);
    return command;
  }

  /** Options and name of the program that runs in this process. */
  static List<String> program() {
    List<String> program = new ArrayList<>();
    System.getProperties().stringPropertyNames().stream()
        .filter(name ->
            HANDED_ON.stream().anyMatch(name::startsWith) && !name.equals("orbitkv.program"))
        .sorted()
        .forEach(name -> program.add("-D" + name + "=" + property(name)));
    String classPath = System.getProperty("java.class.path", "");
    if (!classPath.isEmpty()) {
      // Empty in an installation; build tools keep the libraries there that no module asks for.
      program.addAll(List.of("--class-path", classPath));
    }
    program.addAll(List.of("--module-path", property("jdk.module.path"), "--module", MAIN));
    return program;
  }

  /** What makes a child end with this process. */
  static List<String> parentOption() {
    return List.of(PARENT_OPTION, Long.toString(ProcessHandle.current().pid()));
  }

  /** The Java runtime of this process. */
  static String java() {
    return Path.of(property("java.home"), "bin", "java").toString();
  }

  /** Of fixed size, as that of {@code serve}: the same pool must fit the same books. */
  static List<String> heapOptions() {
    String heap = System.getProperty(HEAP_PROPERTY, DEFAULT_HEAP);
    return List.of("-Xms" + heap, "-Xmx" + heap);
  }

  private static String property(String name) {
    @Nullable String value = System.getProperty(name);
    if (value == null) {
      throw new IllegalStateException(
          "system property [" + name + "] is not set: start orbitkv by its launcher");
    }
    return value;
  }

  private static Path socket(Path folder) {
    return folder.resolve("manager.sock");
  }

  private static Path lock(Path folder) {
    return folder.resolve("manager.sock.lock");
  }

  /**
   * Removes what a Manager of this class leaves, by name, and then its folder if nothing else is in
   * it. Does nothing for a socket that is not in a folder of this class: who names a socket of
   * their own must not lose what lies beside it.
   *
   * @param socket where that Manager listened
   */
  public static void removeRemains(Path socket) {
    @Nullable Path folder = socket.getParent();
    @Nullable Path name = folder == null ? null : folder.getFileName();
    if (folder == null
        || name == null
        || !name.toString().startsWith(FOLDER_PREFIX)
        || !socket.equals(socket(folder))) {
      return;
    }
    try {
      for (Path own : List.of(socket, lock(folder))) {
        Files.deleteIfExists(own);
      }
      Files.deleteIfExists(folder);
    } catch (IOException leftBehind) {
      // A temporary folder that cannot be removed harms nobody, and the result must not be lost for
      // it.
    }
  }
}
