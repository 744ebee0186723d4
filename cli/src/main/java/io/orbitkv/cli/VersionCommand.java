package io.orbitkv.cli;

import java.io.PrintWriter;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@Command(name = "version", description = "Print the version.")
final class VersionCommand extends BaseCommand implements Runnable {
  @Mixin private JsonOption json = new JsonOption();

  @Override
  public void run() {
    String java = System.getProperty("java.version", "unknown");
    PrintWriter out = out();
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
