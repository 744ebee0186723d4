package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(
    name = "evict",
    description = "Remove every page that nobody uses from a Manager's host memory.",
    footer = {"", "Example:", "  orbitkv evict"})
final class EvictCommand implements Callable<Integer> {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private SocketOption socket = new SocketOption();
  @Mixin private JsonOption json = new JsonOption();
  @Mixin private HelpOption help = new HelpOption();

  @Override
  public Integer call() throws Exception {
    return Administration.evict(socket, json.json(), spec.commandLine().getOut());
  }
}
