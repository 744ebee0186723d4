package io.orbitkv.cli;

import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

@Command(name = "version", description = "Print the version.")
final class VersionCommand implements Runnable {
  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private HelpOption help = new HelpOption();
  @Mixin private JsonOption json = new JsonOption();

  @Override
  public void run() {
    String java = System.getProperty("java.version", "unknown");
    PrintWriter out = spec.commandLine().getOut();
    // By hand: a JSON library would cost more than the rest of this command.
    out.println(
        json.json()
            ? String.format(Locale.ROOT, "{\"version\": \"%s\", \"java\": \"%s\"}", version(), java)
            : "orbitkv " + version() + " (Java " + java + ")");
  }

  static String version() {
    return Main.class.getModule().getDescriptor().rawVersion().orElse("unknown");
  }
}
