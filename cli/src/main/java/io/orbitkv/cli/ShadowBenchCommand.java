package io.orbitkv.cli;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.policy.BenchedPolicy;
import io.orbitkv.workload.policy.MiniatureBench;
import io.orbitkv.workload.policy.MiniatureBenchResult;
import io.orbitkv.workload.policy.ModelTraces;
import io.orbitkv.workload.policy.PolicyBenchOptions;
import io.orbitkv.workload.trace.TraceException;
import io.orbitkv.workload.trace.TraceFiles;
import io.orbitkv.workload.trace.TraceSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "shadow",
    description = {
      "Measure how far miniatures can be trusted, as a Manager runs them for 'policies.shadow': the"
          + " difference between two policies on a whole trace at the whole size, beside what pairs"
          + " of miniatures with a share of the conversations and of the capacity say of it. Starts"
          + " no Manager."
    },
    footer = {
      "",
      "Examples:",
      "  orbitkv bench shadow --trace conversation_trace.jsonl --capacity 64gb --ssd 1tb"
          + " --slot admission.ssd --shadow write-on-reuse",
      "  orbitkv bench shadow --trace conversation_trace.jsonl --capacity 256gb"
          + " --slot retention.dram --active lru --shadow w-tinylfu --json"
    })
final class ShadowBenchCommand extends BaseCommand implements Callable<Integer> {
  private static final String NONE = "none";

  @Option(
      names = "--trace",
      paramLabel = "PATH",
      order = 1,
      required = true,
      description = "The trace: what 'bench policy' takes.")
  private Path trace = Path.of("");

  @Option(
      names = "--capacity",
      paramLabel = "SIZE",
      order = 2,
      required = true,
      converter = SizeConverter.class,
      description = "Host memory for pages, at the whole size.")
  private ByteSize capacity = new ByteSize(0);

  @Option(
      names = "--ssd",
      paramLabel = "SIZE",
      order = 3,
      converter = SizeConverter.class,
      description = "A backing tier of that size. Default: none.")
  private @Nullable ByteSize ssd;

  @Option(
      names = "--slot",
      paramLabel = "SLOT",
      order = 4,
      required = true,
      description =
          "Where the two serve: retention.dram, retention.ssd, admission.dram, admission.ssd or"
              + " admission.promote. What is built in serves elsewhere.")
  private String slot = "";

  @Option(
      names = "--active",
      paramLabel = "NAME",
      order = 5,
      defaultValue = NONE,
      description = "Policy of a plugin, or none for what is built in. Default: ${DEFAULT-VALUE}.")
  private String active = "";

  @Option(
      names = "--shadow",
      paramLabel = "NAME",
      order = 6,
      required = true,
      description = "The one that it is compared with, or none.")
  private String shadow = "";

  @Option(
      names = "--set",
      paramLabel = "POLICY.KEY=VALUE",
      order = 7,
      description = "A setting of a policy; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--sample",
      paramLabel = "PERCENT",
      order = 8,
      defaultValue = "25",
      description =
          "Share of the conversations and of the capacity that a miniature has, in percent."
              + " Default: ${DEFAULT-VALUE}.")
  private double sample;

  @Option(
      names = "--samples",
      paramLabel = "N",
      order = 9,
      defaultValue = "10",
      description = "Pairs, each with other conversations. Default: ${DEFAULT-VALUE}.")
  private int samples;

  @Option(
      names = "--seed",
      paramLabel = "N",
      order = 10,
      defaultValue = "1",
      description = "Seed of what the trace does not say. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--token-bytes",
      paramLabel = "BYTES",
      order = 11,
      defaultValue = "" + PolicyBenchOptions.QWEN3_8B_TOKEN_BYTES,
      description = "Bytes of a token. Default: ${DEFAULT-VALUE}, those of Qwen3-8B.")
  private long tokenBytes;

  @Option(
      names = "--requests",
      paramLabel = "N",
      order = 12,
      description = "The first so many requests of the trace. Default: all.")
  private @Nullable Integer requests;

  @Option(
      names = "--plugin",
      paramLabel = "ZIP",
      order = 13,
      description =
          "Plugin that is loaded for this run beside those of the installation; may be repeated.")
  private List<Path> plugins = new ArrayList<>();

  @Option(names = "--quiet", order = 41, description = "No progress.")
  private boolean quiet;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() {
    PolicySlot where = TriedPolicy.slot("--slot", slot);
    if (where == PolicySlot.CUTOFF
        || where == PolicySlot.LOOKAHEAD
        || where == PolicySlot.WARMING) {
      throw CommandException.usage(
          "--slot ["
              + slot
              + "] has no miniatures: what a policy there is worth shows in times; see 'ab'");
    }
    try (BenchPolicies installed = BenchPolicies.load(plugins)) {
      MiniatureBench.Options options =
          new MiniatureBench.Options(
              where,
              policy(installed, where, active),
              policy(installed, where, shadow),
              capacity.bytes(),
              ssd == null ? 0 : ssd.bytes(),
              tokenBytes,
              sample / 100,
              samples);
      MiniatureBench bench = new MiniatureBench(options, read());
      MiniatureBenchResult result = shown(bench);
      out().print(json.json() ? result.json() + "\n" : result.table());
      return 0;
    } catch (TraceException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private @Nullable BenchedPolicy policy(BenchPolicies installed, PolicySlot where, String name) {
    return name.equals(NONE) ? null : installed.of(where, List.of(name), settings).getFirst();
  }

  private ModelTrace read() {
    int most = requests == null ? Integer.MAX_VALUE : requests;
    if (most < 1) {
      throw CommandException.usage("--requests [" + most + "] must be positive");
    }
    try (TraceSource source = TraceFiles.open(trace, seed)) {
      return ModelTraces.read(source, 0, most);
    }
  }

  private MiniatureBenchResult shown(MiniatureBench bench) {
    if (quiet || json.json() || !ProgressLine.possible()) {
      return bench.run();
    }
    try (ProgressLine _ = ProgressLine.start(err(), bench::progress)) {
      return bench.run();
    }
  }
}
