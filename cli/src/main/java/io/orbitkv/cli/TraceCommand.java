package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "trace",
    description = "Make a request trace, or look at one.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {TraceCommand.Generate.class, TraceCommand.Reuse.class, TraceCommand.Info.class})
final class TraceCommand extends BaseCommand implements Runnable {
  @Override
  public void run() {
    throw misused("a command is missing: generate, reuse or info");
  }

  @Command(
      name = "generate",
      description = {
        "Write a trace of generated conversations, as JSON lines of the Mooncake format.",
        "",
        "Conversations start as a Poisson process, begin with one of a few system prompts (Zipf)"
            + " and extend their own prompt turn by turn. Lengths are lognormal. The same options"
            + " give the same trace on every machine."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv trace generate --requests 1000 --seed 7 > trace.jsonl",
        "  orbitkv trace generate --turns 1 --system-prompts 1 --out shared-prompt.jsonl"
      })
  static final class Generate extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--requests",
        paramLabel = "N",
        defaultValue = "1000",
        description = "Default: ${DEFAULT-VALUE}.")
    int requests;

    @Option(
        names = "--seed",
        paramLabel = "N",
        defaultValue = "1",
        description = "Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(
        names = "--sessions-per-second",
        paramLabel = "X",
        defaultValue = "1",
        description = "Rate at which conversations start. Default: ${DEFAULT-VALUE}.")
    double sessionsPerSecond;

    @Option(
        names = "--turns",
        paramLabel = "X",
        defaultValue = "4",
        description = "Mean number of requests of a conversation. Default: ${DEFAULT-VALUE}.")
    double turns;

    @Option(
        names = "--think-seconds",
        paramLabel = "X",
        defaultValue = "20",
        description =
            "Mean time between two requests of a conversation. Default: ${DEFAULT-VALUE}.")
    double thinkSeconds;

    @Option(
        names = "--system-prompts",
        paramLabel = "N",
        defaultValue = "8",
        description = "Number of different system prompts. Default: ${DEFAULT-VALUE}.")
    int systemPrompts;

    @Option(
        names = "--zipf",
        paramLabel = "X",
        defaultValue = "1",
        description = "Exponent of their popularity. Default: ${DEFAULT-VALUE}.")
    double zipf;

    @Option(
        names = "--system-tokens",
        paramLabel = "N",
        defaultValue = "1024",
        description = "Median length of a system prompt. Default: ${DEFAULT-VALUE}.")
    int systemTokens;

    @Option(
        names = "--user-tokens",
        paramLabel = "N",
        defaultValue = "512",
        description = "Median length of what a user adds. Default: ${DEFAULT-VALUE}.")
    int userTokens;

    @Option(
        names = "--output-tokens",
        paramLabel = "N",
        defaultValue = "256",
        description = "Median length of an answer. Default: ${DEFAULT-VALUE}.")
    int outputTokens;

    @Option(
        names = "--sigma",
        paramLabel = "X",
        defaultValue = "0.8",
        description =
            "Standard deviation of the logarithm of the lengths. Default: ${DEFAULT-VALUE}.")
    double sigma;

    @Option(
        names = "--max-input-tokens",
        paramLabel = "N",
        defaultValue = "16384",
        description = "A conversation ends before its prompt is longer. Default: ${DEFAULT-VALUE}.")
    int maxInputTokens;

    @Option(
        names = "--out",
        paramLabel = "FILE",
        description = "Where to write. Default: standard output.")
    @Nullable Path output;

    @Override
    public Integer call() throws Exception {
      return Traces.generate(this, out());
    }
  }

  @Command(
      name = "reuse",
      description = {
        "Write a trace of repeated prompts, as JSON lines of the Mooncake format.",
        "",
        "First comes each of the prefixes once, then requests that repeat one of them or are new."
            + " It is meant for a closed loop. The same options give the same trace on every"
            + " machine."
      },
      footer = {
        "",
        "Examples:",
        "  orbitkv trace reuse --prefixes 12 --requests 64 --lengths 1024,4096 > reuse.jsonl",
        "  orbitkv trace reuse --reuse 80%% --lengths 4096,8192 --own-tokens 64 --out reuse.jsonl"
      })
  static final class Reuse extends BaseCommand implements Callable<Integer> {
    @Option(
        names = "--requests",
        paramLabel = "N",
        defaultValue = "64",
        description = "Requests after the prefixes. Default: ${DEFAULT-VALUE}.")
    int requests;

    @Option(
        names = "--prefixes",
        paramLabel = "N",
        defaultValue = "12",
        description = "Prompts that are repeated. Default: ${DEFAULT-VALUE}.")
    int prefixes;

    @Option(
        names = "--reuse",
        paramLabel = "SHARE",
        defaultValue = "75%",
        description = "Share of requests that repeat one. Default: ${DEFAULT-VALUE}.")
    String reuse = "";

    @Option(
        names = "--lengths",
        paramLabel = "TOKENS",
        split = ",",
        defaultValue = "1024,4096",
        description =
            "Lengths of the prompts, in turns; multiples of 512. Default: ${DEFAULT-VALUE}.")
    int[] lengths = {};

    @Option(
        names = "--output-tokens",
        paramLabel = "N",
        defaultValue = "16",
        description = "Of every request. Default: ${DEFAULT-VALUE}.")
    int outputTokens;

    @Option(
        names = "--own-tokens",
        paramLabel = "N",
        defaultValue = "0",
        description = "New tokens at the end of every prompt. Default: ${DEFAULT-VALUE}.")
    int ownTokens;

    @Option(
        names = "--seed",
        paramLabel = "N",
        defaultValue = "1",
        description = "Default: ${DEFAULT-VALUE}.")
    long seed;

    @Option(
        names = "--out",
        paramLabel = "FILE",
        description = "Where to write. Default: standard output.")
    @Nullable Path output;

    @Override
    public Integer call() throws Exception {
      return Traces.reuse(this, out());
    }
  }

  @Command(
      name = "info",
      description =
          "Check a trace from its first line to its last, and say what it offers to a cache.",
      footer = {"", "Example:", "  orbitkv trace info conversation_trace.jsonl"})
  static final class Info extends BaseCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", arity = "1", description = "Trace of the Mooncake format.")
    Path file = Path.of("");

    @Option(
        names = "--page-tokens",
        paramLabel = "N",
        defaultValue = "64",
        description = "Tokens in a page; divides 512. Default: ${DEFAULT-VALUE}.")
    int pageTokens;

    @Mixin private JsonOption json = new JsonOption();

    @Override
    public Integer call() {
      return Traces.info(file, pageTokens, json.json(), out());
    }
  }
}
