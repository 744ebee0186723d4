package io.orbitkv.cli;

import io.orbitkv.manager.Manager;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.workload.process.ManagerProcess;
import io.orbitkv.workload.report.JsonReport;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Runs a Manager in this process. */
final class Serving {
  private Serving() {}

  static int run(
      ManagerFlags flags,
      @Nullable Path socket,
      boolean json,
      @Nullable Long parent,
      PrintWriter out) {
    Optional<ProcessHandle> owner =
        parent == null ? Optional.empty() : ProcessHandle.of(parent).filter(ProcessHandle::isAlive);
    if (parent != null && owner.isEmpty()) {
      return Errors.FAILURE;
    }
    ManagerConfig config = Configurations.load(flags, socket);
    return Manager.serve(
        config,
        manager -> {
          owner.ifPresent(process -> endWith(process, manager));
          if (json) {
            out.println(line(manager));
            out.flush();
          }
        });
  }

  /**
   * The socket's folder is the owner's temporary folder, which nobody else removes when the owner
   * was killed.
   */
  private static void endWith(ProcessHandle owner, Manager manager) {
    Thread.ofPlatform()
        .name("orbitkv-owner-watch")
        .daemon()
        .start(() -> {
          ProcessHandle _ = owner.onExit().join();
          manager.close();
          ManagerProcess.removeRemains(manager.socketPath());
          // The thread that serves waits for a signal; everything that it would do is done.
          Runtime.getRuntime().halt(0);
        });
  }

  private static String line(Manager manager) {
    return JsonReport.object(report ->
            report
                .field("socket", manager.socketPath().toString())
                .field("pid", ProcessHandle.current().pid())
                .field("epoch", Long.toUnsignedString(manager.epoch()))
                .field("version", VersionCommand.version()))
        .lines()
        .map(String::strip)
        .reduce("", String::concat);
  }
}
