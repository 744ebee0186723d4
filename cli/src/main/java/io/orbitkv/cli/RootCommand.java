package io.orbitkv.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

@Command(
    name = "orbitkv",
    description = "Keeps the KV pages of LLM inference engines in host memory and gives them back.",
    synopsisSubcommandLabel = "COMMAND",
    commandListHeading = "%nCommands:%n",
    optionListHeading = "%nOptions:%n",
    footer = {
      "",
      "Begin with:",
      "  orbitkv demo               see it work on this machine, in under a minute",
      "  orbitkv serve              run a Manager",
      "  orbitkv doctor             look whether it will work here",
      "  orbitkv COMMAND --help     what a command does, with examples",
      "",
      "Exit status: 0 all went well, 1 it did not, 2 wrong usage or configuration."
    },
    subcommands = {
      DemoCommand.class,
      ServeCommand.class,
      DoctorCommand.class,
      StatusCommand.class,
      MetricsCommand.class,
      ReplayCommand.class,
      AbCommand.class,
      SimCommand.class,
      BenchCommand.class,
      TraceCommand.class,
      PluginsCommand.class,
      PolicyCommand.class,
      ConfigCommand.class,
      SyncCommand.class,
      EvictCommand.class,
      VersionCommand.class,
      HelpCommand.class
    })
final class RootCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused("a command is missing");
  }
}
