package io.orbitkv.manager;

import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.boot.Boot;
import io.orbitkv.manager.boot.ConfiguredBoot;
import io.orbitkv.manager.boot.Signals;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.environment.ManagerLog;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A running Manager. Any thread. */
public final class Manager implements AutoCloseable {
  /** The name that the launcher was started under. */
  private static final String PROGRAM_PROPERTY = "orbitkv.program";

  private final Boot boot;

  private Manager(Boot boot) {
    this.boot = boot;
  }

  /**
   * Starts a Manager in this process, with the machine's own surroundings.
   *
   * @throws ManagerException when something is in the way; nothing is left behind then
   */
  public static Manager start(ManagerConfig config) throws ManagerException {
    return start(config, ManagerEnvironment.system());
  }

  /**
   * Starts a Manager in this process. Returns once clients can connect; the later parts of the pool
   * may still be on their way.
   *
   * @throws ManagerException when something is in the way; nothing is left behind then
   */
  public static Manager start(ManagerConfig config, ManagerEnvironment environment)
      throws ManagerException {
    return new Manager(ConfiguredBoot.start(config, environment));
  }

  /**
   * Runs a Manager until SIGTERM or SIGINT. The first signal ends it cleanly; a second one ends the
   * process at once with status 128 + the signal's number. Failures are one line on stderr.
   *
   * @param started told of the running Manager, on this thread
   * @return the exit status: 0 after a clean drain, 1 or 2 otherwise
   */
  public static int serve(ManagerConfig config, Consumer<Manager> started) {
    CountDownLatch end = new CountDownLatch(1);
    Signals signals =
        Signals.listen(
            end::countDown,
            status -> {
              ManagerLog.flush();
              Runtime.getRuntime().halt(status);
            });
    try {
      Manager manager = start(config);
      try {
        started.accept(manager);
        end.await();
      } finally {
        manager.close();
      }
      return manager.boot.endedClean() ? 0 : ManagerException.RUNTIME;
    } catch (ManagerException refused) {
      ManagerLog.tell(
          System.getProperty(PROGRAM_PROPERTY, "orbitkv") + ": " + refused.getMessage());
      return refused.exitStatus();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return ManagerException.RUNTIME;
    } finally {
      signals.close();
      ManagerLog.flush();
    }
  }

  /** Where clients connect. */
  public Path socketPath() {
    return boot.socket();
  }

  /** The epoch of this start, which every frame carries. */
  public long epoch() {
    return boot.epoch();
  }

  /** The line that the log shows at the start. */
  public String startupLine() {
    return boot.startupLine();
  }

  /**
   * The kernel's picture, after everything that this thread caused before.
   *
   * @throws IllegalStateException when the Manager has ended
   */
  public KernelStatus kernelStatus() {
    return boot.kernelStatus();
  }

  /**
   * The status as one JSON object: what a client gets that asks for it.
   *
   * @throws IllegalStateException when the Manager has ended
   */
  public String statusJson() {
    return boot.statusJson();
  }

  /**
   * The metrics: what a client gets that asks for them.
   *
   * @param json as one JSON object; otherwise as Prometheus text
   * @throws IllegalStateException when the Manager has ended
   */
  public String metrics(boolean json) {
    return boot.metrics(json);
  }

  /** Where metrics are served over HTTP; null: nowhere. */
  public @Nullable InetSocketAddress metricsAddress() {
    return boot.metricsAddress();
  }

  /** Checks every invariant of the kernel. A broken one ends the process, as it does everywhere. */
  public void verify() {
    boot.verify();
  }

  /**
   * Takes nothing new, lets work under way finish, ends the sessions and waits until nothing is
   * left.
   *
   * @return false when something is still held after {@code limit}; the log says what
   */
  public boolean drain(Duration limit) throws InterruptedException {
    return boot.drain(limit);
  }

  /** Drains, for at most half a minute, and undoes everything in reverse. Idempotent. */
  @Override
  public void close() {
    boot.close();
  }
}
