package io.orbitkv.cli;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.policy.BenchedPolicy;
import io.orbitkv.workload.policy.CutoffBench;
import io.orbitkv.workload.policy.CutoffBenchResult;
import io.orbitkv.workload.policy.ModelTraces;
import io.orbitkv.workload.policy.PolicyBench;
import io.orbitkv.workload.policy.PolicyBenchOptions;
import io.orbitkv.workload.policy.PolicyBenchResult;
import io.orbitkv.workload.policy.PolicyRole;
import io.orbitkv.workload.trace.TraceException;
import io.orbitkv.workload.trace.TraceFiles;
import io.orbitkv.workload.trace.TraceSource;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "policy",
    description = {
      "Measure what policies keep of a trace: its whole length on a model of the cache that knows"
          + " keys alone and calls the real policies. Beside them what no cache can exceed (endless"
          + " and clairvoyant) and the order of last use, leaves first. Starts no Manager; a second"
          + " or so a run.",
      "",
      "A page of the model is a block of the trace, or 64 tokens where blocks are shorter. A prefix"
          + " hit counts a page only when every page before it is there."
    },
    footer = {
      "",
      "Traces: JSON lines of the Mooncake or the Qwen-Bailian format, a folder of kv-cache-tester"
          + " sessions or one of them (.json), or an Azure trace (.csv), for which --seed makes up"
          + " who continues whom.",
      "",
      "Examples:",
      "  orbitkv bench policy --trace conversation_trace.jsonl --capacity 256gb --seeds 5",
      "  orbitkv bench policy --trace sessions/ --capacity 64gb --ssd 1tb --json",
      "  orbitkv bench policy --trace conversation_trace.jsonl --role write-admission"
          + " --capacity 64gb --ssd 1tb",
      "  orbitkv bench policy --trace conversation_trace.jsonl --role cutoff"
          + " --policies restore-or-recompute --capacity 64gb --ssd 4tb --json"
    })
final class PolicyBenchCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--trace",
      paramLabel = "PATH",
      order = 1,
      required = true,
      description = "The trace.")
  private Path trace = Path.of("");

  @Option(
      names = "--capacity",
      paramLabel = "SIZE",
      order = 2,
      required = true,
      converter = SizeConverter.class,
      description = "Host memory for pages.")
  private ByteSize capacity = new ByteSize(0);

  @Option(
      names = "--ssd",
      paramLabel = "SIZE",
      order = 3,
      converter = SizeConverter.class,
      description = "A backing tier of that size. Default: none.")
  private @Nullable ByteSize ssd;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      order = 4,
      defaultValue = "retention",
      description =
          "What the policies decide: retention; write-admission, which needs --ssd and also tells"
              + " hits under write limits of 10, 25 and 50 %%; or cutoff, which needs --ssd and"
              + " tells modelled times to first token against always restoring and always"
              + " recomputing, over speeds and loads. Default: ${DEFAULT-VALUE}.")
  private String role = "";

  @Option(
      names = "--policies",
      paramLabel = "NAME",
      order = 5,
      split = ",",
      description = "Policies of plugins. Default: all of the role.")
  private List<String> policies = List.of();

  @Option(
      names = "--set",
      paramLabel = "POLICY.KEY=VALUE",
      order = 6,
      description = "A setting of a policy; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--seeds",
      paramLabel = "N",
      order = 7,
      defaultValue = "1",
      description =
          "Runs of each policy, of which the median and the spread are told."
              + " Default: ${DEFAULT-VALUE}.")
  private int seeds;

  @Option(
      names = "--seed",
      paramLabel = "N",
      order = 8,
      defaultValue = "1",
      description = "Seed of what the trace does not say. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Option(
      names = "--token-bytes",
      paramLabel = "BYTES",
      order = 9,
      defaultValue = "" + PolicyBenchOptions.QWEN3_8B_TOKEN_BYTES,
      description = "Bytes of a token. Default: ${DEFAULT-VALUE}, those of Qwen3-8B.")
  private long tokenBytes;

  @Option(
      names = "--page-tokens",
      paramLabel = "N",
      order = 10,
      description = "Pages of so many tokens, of which only complete ones count.")
  private @Nullable Integer pageTokens;

  @Option(
      names = "--requests",
      paramLabel = "N",
      order = 11,
      description = "The first so many requests of the trace. Default: all.")
  private @Nullable Integer requests;

  @Option(
      names = "--plugin",
      paramLabel = "ZIP",
      order = 12,
      description =
          "Plugin that is loaded for this run beside those of the installation; may be repeated.")
  private List<Path> plugins = new ArrayList<>();

  @Option(names = "--quiet", order = 41, description = "No progress.")
  private boolean quiet;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() {
    PolicyRole measured;
    PolicyBenchOptions options;
    try {
      measured = PolicyRole.of(role);
      options =
          new PolicyBenchOptions(
              measured, capacity.bytes(), ssd == null ? 0 : ssd.bytes(), tokenBytes, seeds);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    try (BenchPolicies installed = BenchPolicies.load(plugins)) {
      List<BenchedPolicy> chosen = installed.of(measured.slot(), policies, settings);
      if (measured == PolicyRole.CUTOFF) {
        CutoffBench bench = new CutoffBench(options, read(), chosen);
        CutoffBenchResult result = shown(bench::progress, bench::run);
        out().print(json.json() ? result.json() + "\n" : result.table());
        return 0;
      }
      PolicyBench bench = new PolicyBench(options, read(), chosen);
      PolicyBenchResult result = shown(bench::progress, bench::run);
      out().print(json.json() ? result.json() + "\n" : result.table());
      return 0;
    } catch (TraceException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private ModelTrace read() {
    int tokens = pageTokens == null ? 0 : pageTokens;
    int most = requests == null ? Integer.MAX_VALUE : requests;
    if (tokens < 0 || (pageTokens != null && tokens == 0)) {
      throw CommandException.usage("--page-tokens [" + tokens + "] must be positive");
    }
    if (most < 1) {
      throw CommandException.usage("--requests [" + most + "] must be positive");
    }
    try (TraceSource source = TraceFiles.open(trace, seed)) {
      return ModelTraces.read(source, tokens, most);
    }
  }

  private <T> T shown(Supplier<String> progress, Supplier<T> run) {
    if (quiet || json.json() || !ProgressLine.possible()) {
      return run.get();
    }
    try (ProgressLine _ = ProgressLine.start(err(), progress)) {
      return run.get();
    }
  }
}
