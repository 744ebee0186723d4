package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "metrics",
    description = "Print the metrics of a running Manager in the Prometheus text format.",
    footer = {
      "",
      "Examples:",
      "  orbitkv metrics | grep query",
      "  orbitkv metrics --names",
      "  orbitkv metrics --json"
    })
final class MetricsCommand extends BaseCommand implements Callable<Integer> {
  @Mixin private SocketOption socket = new SocketOption();
  @Mixin private JsonOption json = new JsonOption();

  @Option(names = "--names", description = "Print what there is, without values.")
  private boolean names;

  @Override
  public Integer call() throws Exception {
    return Administration.metrics(socket, names, json.json(), out());
  }
}
