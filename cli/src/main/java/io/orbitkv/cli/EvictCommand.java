package io.orbitkv.cli;

import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(
    name = "evict",
    description = "Remove every page that nobody uses from a Manager's host memory.",
    footer = {"", "Example:", "  orbitkv evict"})
final class EvictCommand extends BaseCommand implements Callable<Integer> {
  @Mixin private SocketOption socket = new SocketOption();
  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    return Administration.evict(socket, json.json(), out());
  }
}
