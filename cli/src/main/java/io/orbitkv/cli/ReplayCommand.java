package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "replay",
    description = {
      "Replay a request trace as an engine would, with real bytes in every page.",
      "",
      "The modelled engine has device memory and a page cache of its own. What it lacks it asks the"
          + " Manager for; what the Manager has is restored and compared byte by byte; the rest is"
          + " computed and published. Without --connect the Manager is one of the command's own,"
          + " started for it and stopped after it."
    },
    footer = {
      "",
      "Exit status 1 when a byte is wrong, a byte leaked, or a budget is not back at zero.",
      "",
      "Examples:",
      "  orbitkv replay --generate --requests 500",
      "  orbitkv replay --trace conversation_trace.jsonl --requests 1000 --pool-size 1gb --json",
      "  orbitkv replay --trace conversation_trace.jsonl --speed 10 --concurrency 16",
      "  orbitkv replay --generate --lockstep --config orbitkv.yaml --json",
      "  orbitkv replay --generate --connect /run/orbitkv/manager.sock",
      "  orbitkv replay --generate --pool-size 1gb --ssd-path /ssd/orbitkv --ssd-size 8gb --restart"
    })
final class ReplayCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--trace",
      paramLabel = "FILE",
      order = 1,
      description =
          "Trace of the Mooncake format: JSON lines with timestamp, input_length, output_length,"
              + " hash_ids.")
  private @Nullable Path trace;

  @Option(
      names = "--generate",
      order = 2,
      description = "A generated trace of conversations instead of a file.")
  private boolean generate;

  @Option(
      names = "--requests",
      paramLabel = "N",
      order = 3,
      description = "Stop after so many requests. Default: the whole file, or 1000 generated ones.")
  private @Nullable Integer requests;

  @Option(
      names = "--seed",
      paramLabel = "N",
      order = 4,
      description = "Seed of the generated trace: the same seed gives the same trace. Default: 1.")
  private @Nullable Long seed;

  @Option(
      names = "--connect",
      paramLabel = "SOCKET",
      order = 5,
      description = "Use the Manager that listens there.")
  private @Nullable Path connect;

  @Mixin private ManagerFlags manager = new ManagerFlags();

  @Mixin private EngineFlags engine = new EngineFlags();

  @Option(
      names = "--closed-loop",
      order = 35,
      description = "The next request enters as soon as there is room. This is the default.")
  private boolean closedLoop;

  @Option(
      names = "--speed",
      paramLabel = "X",
      order = 36,
      description = "Requests arrive at their timestamps, X times as fast.")
  private @Nullable Double speed;

  @Option(
      names = "--instance",
      paramLabel = "NAME",
      order = 36,
      description =
          "Name under which the engine registers, of which a divided Manager and an experiment by"
              + " instance make their assignment. Default: another one in each run.")
  private @Nullable String instance;

  @Option(
      names = "--lockstep",
      order = 37,
      description = {
        "One request after the other, and between the steps of each the Manager finishes what it"
            + " has to do: writes, and what policies hear and answer. So hits and bytes depend on"
            + " the trace and not on how busy the machine is. The engine's device keeps nothing"
            + " from one request to the next; times mean nothing."
      })
  private boolean lockstep;

  @Option(
      names = "--out",
      paramLabel = "FILE",
      order = 40,
      description = "Also write the result to FILE, as JSON.")
  private @Nullable Path output;

  @Option(
      names = "--restart",
      arity = "0..1",
      fallbackValue = "stop",
      paramLabel = "stop|kill",
      order = 38,
      description = {
        "Then stop the Manager, or kill it (SIGKILL), start it again over the same SSD tier and"
            + " replay once more: what was stored is restored and not published anew. A Manager"
            + " that is killed may have pages in memory that were not written yet. The JSON result"
            + " has the second replay as after_restart."
      })
  private @Nullable String restart;

  @Option(names = "--quiet", order = 41, description = "No progress.")
  private boolean quiet;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    return new ReplayRunner(this, out(), err()).run();
  }

  @Nullable Path trace() {
    return trace;
  }

  boolean generate() {
    return generate;
  }

  @Nullable Integer requests() {
    return requests;
  }

  @Nullable Long seed() {
    return seed;
  }

  @Nullable Path connect() {
    return connect;
  }

  ManagerFlags manager() {
    return manager;
  }

  EngineFlags engine() {
    return engine;
  }

  boolean closedLoop() {
    return closedLoop;
  }

  @Nullable Double speed() {
    return speed;
  }

  @Nullable String instance() {
    return instance;
  }

  boolean lockstep() {
    return lockstep;
  }

  @Nullable Path output() {
    return output;
  }

  /** How the first Manager ends; null without a second one. */
  @Nullable String restart() {
    return restart;
  }

  boolean quiet() {
    return quiet;
  }

  boolean json() {
    return json.json();
  }
}
