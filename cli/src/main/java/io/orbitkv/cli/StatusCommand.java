package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "status",
    description = "Show what a running Manager holds and what it has done.",
    footer = {"", "Examples:", "  orbitkv status", "  orbitkv status --json | jq .counters"})
final class StatusCommand extends BaseCommand implements Callable<Integer> {
  @Mixin private SocketOption socket = new SocketOption();
  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    return Administration.status(socket, json.json(), out());
  }
}
