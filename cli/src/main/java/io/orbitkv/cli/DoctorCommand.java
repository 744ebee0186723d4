package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "doctor",
    description = {
      "Look whether a Manager would work here, and say what to do where not.",
      "",
      "Nothing is changed: no store is opened, no file is left behind."
    },
    footer = {
      "",
      "Exit status 1 when something does not work; what merely could be better is no failure.",
      "",
      "Examples:",
      "  orbitkv doctor",
      "  orbitkv doctor --ssd-path /ssd/orbitkv --ssd-size 100gb",
      "  orbitkv doctor --config conf/orbitkv.yaml --json"
    })
final class DoctorCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--socket",
      paramLabel = "PATH",
      order = 9,
      description = "Unix socket of the Manager. Default: as with 'serve'.")
  private @Nullable Path socket;

  @Mixin private ManagerFlags flags = new ManagerFlags();
  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() {
    return Examination.run(flags, socket, json.json(), out());
  }
}
