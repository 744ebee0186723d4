package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "status",
    description = "Show what a running Manager holds and what it has done.",
    footer = {"", "Examples:", "  orbitkv status", "  orbitkv status --json | jq .counters"})
final class StatusCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private SocketOption socket = new SocketOption();
  @Mixin private JsonOption json = new JsonOption();
  @Mixin private HelpOption help = new HelpOption();

  @Override
  public Integer call() throws Exception {
    return Administration.status(socket, json.json(), spec.commandLine().getOut());
  }
}
