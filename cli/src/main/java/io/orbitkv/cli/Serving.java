package io.orbitkv.cli;

import io.orbitkv.manager.Manager;
import io.orbitkv.manager.config.HostFacts;
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
    Optional<Owner> owner = Optional.ofNullable(parent).map(Owner::of);
    if (owner.isPresent() && !owner.get().isAlive()) {
      return Errors.FAILURE;
    }
    ManagerConfig config = Configurations.load(flags, socket, HostFacts.detect());
    return Manager.serve(
        config,
        manager -> {
          owner.ifPresent(process -> process.onEnd(() -> endWith(manager)));
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
  private static void endWith(Manager manager) {
    manager.close();
    ManagerProcess.removeRemains(manager.socketPath());
    // The thread that serves waits for a signal; everything that it would do is done.
    Runtime.getRuntime().halt(0);
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
