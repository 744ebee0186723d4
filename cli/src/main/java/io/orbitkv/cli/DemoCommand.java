package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "demo",
    description = {
      "See OrbitKV work on this machine: no configuration, no GPU, under a minute.",
      "",
      "Starts a Manager, replays generated conversations with real bytes in every page, compares"
          + " each restored byte, prints what came of it and stops the Manager."
    },
    footer = {"", "Examples:", "  orbitkv demo", "  orbitkv demo --seed 7 --json"})
final class DemoCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--seed",
      paramLabel = "N",
      defaultValue = "1",
      description = "Seed of the conversations. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    return Demo.run(seed, json.json(), out(), err());
  }
}
