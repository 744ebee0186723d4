package io.orbitkv.manager.gate;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.fixture.ChildProcess;
import io.orbitkv.manager.fixture.PluginFolders;
import io.orbitkv.manager.fixture.ServeMain;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The real Manager in a process of its own, whose reads, writes and copies wait where files say so.
 */
final class GateManager implements AutoCloseable {
  /** Before a page is read from the backing tier. */
  static final String READ = "read";

  /** Before a plan of a restore reaches its copier. */
  static final String COPY_RESTORE = "copy-restore";

  /** Behind the submission of a staged restore, before its first byte. */
  static final String COPY_STAGED = "copy-staged";

  /** Before a plan of a publish reaches its copier. */
  static final String COPY_PUBLISH = "copy-publish";

  /** What is behind host memory. */
  enum Store {
    /** A store in the tier's own memory. */
    MEMORY("fault-store: {directory: %1$s}"),
    /** The SSD store on a file of the home folder. */
    SSD("fault-ssd: {directory: %1$s, path: %2$s/store}");

    private final String settings;

    Store(String settings) {
      this.settings = settings;
    }

    private String tier() {
      return settings.substring(0, settings.indexOf(':'));
    }
  }

  private final Path points;
  private final Path socket;
  private final ChildProcess process;

  private GateManager(Path points, Path socket, ChildProcess process) {
    this.points = points;
    this.socket = socket;
    this.process = process;
  }

  /**
   * Starts a Manager and waits until clients can connect.
   *
   * @param home folder that may have served before
   * @param store behind host memory
   * @param query settings of the section {@code query}, as in {@code read-batch: 8kb}
   */
  static GateManager start(Path home, Store store, String... query)
      throws IOException, InterruptedException {
    Path points = Files.createDirectories(home.resolve("points"));
    PluginFolders.installFaultPoints(Files.createDirectories(home.resolve("plugins")));
    Path socket = home.resolve("run/manager.sock");
    // One batch at a time, so that pages can be counted.
    Files.writeString(
        home.resolve("orbitkv.yaml"),
        """
        socket: %1$s
        copiers: [fault-copy]
        backing: {tier: %4$s}
        query: {read-pipeline: 1%3$s}
        plugin-settings:
          fault-points:
            %5$s
            fault-copy: {directory: %2$s}
        """
            .formatted(
                socket,
                points,
                query.length == 0 ? "" : ", " + String.join(", ", query),
                store.tier(),
                store.settings.formatted(points, home)));
    ChildProcess process = ChildProcess.start(ServeMain.class, home.toString());
    process.awaitLine(ServeMain.READY);
    return new GateManager(points, socket, process);
  }

  Path socket() {
    return socket;
  }

  /** Work stops at the point from now on. */
  void arm(String point) throws IOException {
    Files.writeString(points.resolve(point + ".pause"), "");
  }

  /** Waits until work has stopped there. */
  void awaitReached(String point) {
    Wait.until("work at " + point, () -> Files.exists(points.resolve(point + ".reached")));
  }

  /** Work goes on. */
  void release(String point) throws IOException {
    Files.deleteIfExists(points.resolve(point + ".pause"));
  }

  /** Work that passes the point fails from now on. */
  void fail(String point, String status) throws IOException {
    Files.writeString(points.resolve(point + ".fail"), status);
  }

  /** Nothing stops or fails any more. */
  void disarm() throws IOException {
    try (Stream<Path> files = Files.list(points)) {
      for (Path file : files.toList()) {
        if (!file.toString().endsWith(".reached")) {
          Files.deleteIfExists(file);
        }
      }
    }
  }

  /** Whether the process has a file of that name open or mapped, by the system's own books. */
  boolean hasOpen(String name) {
    try (Stream<Path> descriptors = Files.list(proc("fd"))) {
      for (Path descriptor : descriptors.toList()) {
        if (Files.exists(descriptor, LinkOption.NOFOLLOW_LINKS)
            && Files.readSymbolicLink(descriptor).toString().contains(name)) {
          return true;
        }
      }
      return Files.readString(proc("maps")).contains(name);
    } catch (IOException goneMeanwhile) {
      return hasMapped(name);
    }
  }

  private boolean hasMapped(String name) {
    try {
      return Files.readString(proc("maps")).contains(name);
    } catch (IOException gone) {
      return false;
    }
  }

  private Path proc(String file) {
    return Path.of("/proc", Long.toString(process.pid()), file);
  }

  /** As {@code kill -9} does. */
  void kill() throws InterruptedException {
    process.kill();
  }

  /** Ends it as an administrator does, and checks that it finds nothing held. */
  void endCleanly() throws IOException, InterruptedException {
    process.signal("TERM");
    assertThat(process.awaitExit()).isZero();
  }

  @Override
  public void close() {
    process.close();
  }
}
