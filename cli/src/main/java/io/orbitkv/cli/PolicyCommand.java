package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "policy",
    description = {
      "Show, change and explain the policies of a running Manager; begin a policy of your own, and"
          + " try one without a Manager."
    },
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      PolicyCommand.Listing.class,
      PolicyCommand.Swap.class,
      PolicyCommand.Revert.class,
      PolicyCommand.Explain.class,
      PolicyNewCommand.class,
      PolicyTryCommand.class,
      PolicyReplayCommand.class
    })
final class PolicyCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused("a command is missing: list, swap, revert, explain, new, try or replay");
  }

  @Command(
      name = "list",
      description = "Show what serves in each slot, what it was asked, and what could serve there.",
      footer = {"", "Example:", "  orbitkv policy list"})
  static final class Listing extends BaseCommand implements Callable<Integer> {
    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return PolicyOutput.list(socket, json.json(), out());
    }
  }

  @Command(
      name = "swap",
      description = {
        "Let another policy serve in a slot, from the next decision on.",
        "",
        "What the one before was asked already is still answered by it; then it ends. Nothing is"
            + " written to the configuration: the next start serves what that names. 'none' and"
            + " 'default' stand for the built-in default. In the slot cutoff several may serve:"
            + " those that are named take the place of all that serve there."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv policy swap retention.dram lru",
        "  orbitkv policy swap admission.ssd write-on-reuse --settings trial=0.25",
        "  orbitkv policy swap admission.ssd write-on-reuse --settings trial.yaml",
        "  orbitkv policy swap cutoff restore-or-recompute '{stopping-cutoffs: {read-timeout:"
            + " 100ms}}'"
      })
  static final class Swap extends BaseCommand implements Callable<Integer> {
    @Parameters(
        paramLabel = "SLOT",
        index = "0",
        description = "Slot, as 'policy list' shows it, such as admission.ssd.")
    private String slot = "";

    @Parameters(
        paramLabel = "NAME",
        index = "1..*",
        arity = "1..*",
        description =
            "Policy of a plugin that is there, or none, default or lru; for cutoff any number of"
                + " them. As in the configuration, '{NAME: {KEY: VALUE}}' is one with its"
                + " settings.")
    private List<String> policies = new ArrayList<>();

    @Option(
        names = "--settings",
        paramLabel = "FILE|KEY=VALUE",
        arity = "1..*",
        description =
            "Settings of the policy: a YAML file with what would stand below its name in the"
                + " configuration, or keys with their values.")
    private List<String> settings = new ArrayList<>();

    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return PolicyOutput.swap(socket, slot, policies, settings, json.json(), out());
    }
  }

  @Command(
      name = "revert",
      description = {
        "Let serve in a slot what served there before the last change, with its settings.",
        "",
        "A second revert undoes the first."
      },
      footer = {"", "Example:", "  orbitkv policy revert admission.ssd"})
  static final class Revert extends BaseCommand implements Callable<Integer> {
    @Parameters(paramLabel = "SLOT", arity = "1", description = "Slot, such as admission.ssd.")
    private String slot = "";

    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return PolicyOutput.revert(socket, slot, json.json(), out());
    }
  }

  @Command(
      name = "explain",
      description = {
        "Show decisions of policies: what was chosen, why, and of a sample what the policy saw.",
        "",
        "Memory holds the newest decisions alone. How many, and of how many one keeps what the"
            + " policy saw, is set in 'policies.journal'."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv policy explain --last 50",
        "  orbitkv policy explain --request req-17",
        "  orbitkv policy explain --page 00112233445566778899aabbccddeeff --json"
      })
  static final class Explain extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--request",
        paramLabel = "ID",
        description = "Only decisions about this request of an engine.")
    private @Nullable String request;

    @Option(
        names = "--page",
        paramLabel = "KEY",
        description =
            "Only decisions about the chain that begins with this page: its key in 32 hexadecimal"
                + " digits, or an id as this command shows it.")
    private @Nullable String page;

    @Option(
        names = "--last",
        paramLabel = "N",
        defaultValue = "20",
        description = "Most decisions, the newest. Default: ${DEFAULT-VALUE}.")
    private int last;

    @Mixin private SocketOption socket = new SocketOption();
    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() throws Exception {
      return PolicyOutput.explain(
          socket,
          request == null ? "" : request,
          page == null ? "" : page,
          last,
          json.json(),
          out());
    }
  }

  /** A file of settings. */
  static boolean isFile(String text) {
    return text.indexOf('=') < 0 || Path.of(text).toFile().isFile();
  }
}
