package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "serve",
    description = {
      "Run a Manager until it is told to stop.",
      "",
      "The first SIGTERM or Ctrl-C drains: nothing new is taken, running copies end, then it exits"
          + " with 0. A second one ends it at once."
    },
    footer = {
      "",
      "Examples:",
      "  orbitkv serve",
      "  orbitkv serve --config conf/orbitkv.yaml --pool-size 16gb",
      "  orbitkv serve --socket /run/orbitkv/manager.sock --query-budget 3gb"
    })
final class ServeCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--socket",
      paramLabel = "PATH",
      order = 9,
      description =
          "Unix socket to listen on. Default: $XDG_RUNTIME_DIR/orbitkv/manager.sock, or below"
              + " /tmp.")
  private @Nullable Path socket;

  @Mixin private ManagerFlags flags = new ManagerFlags();

  @Option(
      names = "--json",
      order = 20,
      description = "Print one line of JSON with socket, process id and epoch when ready.")
  private boolean json;

  // Given by commands that start a Manager of their own.
  @Option(names = "--exit-with-parent", paramLabel = "PID", hidden = true)
  private @Nullable Long parent;

  @Override
  public Integer call() {
    return Serving.run(flags, socket, json, parent, out());
  }
}
