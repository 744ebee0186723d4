package io.orbitkv.cli;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.workload.policy.BenchedPolicy;
import io.orbitkv.workload.policy.ModelTraces;
import io.orbitkv.workload.policy.PolicyBenchOptions;
import io.orbitkv.workload.policy.PolicyTrial;
import io.orbitkv.workload.policy.PolicyTrialOptions;
import io.orbitkv.workload.policy.PolicyTrialResult;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.TraceException;
import io.orbitkv.workload.trace.TraceFiles;
import io.orbitkv.workload.trace.TraceGenerator;
import io.orbitkv.workload.trace.TraceSource;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "try",
    description = {
      "Let the policy of a plugin's zip meet requests on a model of the cache, beside another"
          + " policy: hits, bytes, its first decisions with their reasons, and what was lost"
          + " against one who knows what comes. Installs nothing and starts no Manager; a few"
          + " seconds.",
      "",
      "The model calls the policy as the Manager does, one call after another. What throws or makes"
          + " no sense is named, the built-in default stands in for it, and the exit status is 1."
    },
    footer = {
      "",
      "Examples:",
      "  orbitkv policy try target/my-policy-1.0.0.zip",
      "  orbitkv policy try target/my-policy-1.0.0.zip --trace conversation_trace.jsonl --against"
          + " write-adaptive --capacity 64gb --ssd 1tb --json"
    })
final class PolicyTryCommand extends BaseCommand implements Callable<Integer> {
  private static final int REQUESTS = 2_000;
  private static final Set<String> BUILT_IN = Set.of("default", "none", "lru");

  @Parameters(paramLabel = "ZIP", arity = "1", description = "The plugin, as it was packed.")
  private Path zip = Path.of("");

  @Option(
      names = "--trace",
      paramLabel = "PATH",
      order = 1,
      description = "A trace, of any format that 'bench policy' reads.")
  private @Nullable Path trace;

  @Option(
      names = "--generate",
      order = 2,
      description = "Generated conversations. Default, when there is no --trace.")
  private boolean generate;

  @Option(
      names = "--requests",
      paramLabel = "N",
      order = 3,
      defaultValue = "" + REQUESTS,
      description = "So many requests. Default: ${DEFAULT-VALUE}.")
  private int requests;

  @Option(
      names = "--against",
      paramLabel = "NAME",
      order = 4,
      defaultValue = "default",
      description =
          "Another policy for the same slots, of an installed plugin; default or lru for the"
              + " built-in: the order of last use, everything written, everything restored."
              + " Default: ${DEFAULT-VALUE}.")
  private String against = "";

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      order = 5,
      description =
          "Role or slot that it is to serve in, such as retention or admission.dram. Default: what"
              + " it serves in, of admission the border of the SSD.")
  private @Nullable String role;

  @Option(
      names = "--policy",
      paramLabel = "NAME",
      order = 6,
      description = "Which policy, when the plugin has several.")
  private @Nullable String policy;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      order = 7,
      description = "A setting of the policy; may be repeated.")
  private Map<String, String> settings = new LinkedHashMap<>();

  @Option(
      names = "--capacity",
      paramLabel = "SIZE",
      order = 8,
      converter = SizeConverter.class,
      description = "Host memory for pages. Default: a thirty-second of what the trace asks for.")
  private @Nullable ByteSize capacity;

  @Option(
      names = "--ssd",
      paramLabel = "SIZE",
      order = 9,
      converter = SizeConverter.class,
      description =
          "The backing tier; 0b for none. Default: an eighth of what the trace asks for, and none"
              + " for retention.dram alone.")
  private @Nullable ByteSize ssd;

  @Option(
      names = "--write-limit",
      paramLabel = "SIZE",
      order = 10,
      converter = SizeConverter.class,
      description = "What may be written to the backing tier a second. Default: no limit.")
  private @Nullable ByteSize writeLimit;

  @Option(
      names = "--token-bytes",
      paramLabel = "BYTES",
      order = 11,
      defaultValue = "" + PolicyBenchOptions.QWEN3_8B_TOKEN_BYTES,
      description = "Bytes of a token. Default: ${DEFAULT-VALUE}, those of Qwen3-8B.")
  private long tokenBytes;

  @Option(
      names = "--decisions",
      paramLabel = "N",
      order = 12,
      defaultValue = "5",
      description = "First decisions that are shown. Default: ${DEFAULT-VALUE}.")
  private int decisions;

  @Option(
      names = "--seed",
      paramLabel = "N",
      order = 13,
      defaultValue = "1",
      description = "Seed of the generated trace and of the policies. Default: ${DEFAULT-VALUE}.")
  private long seed;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    if (trace != null && generate) {
      throw CommandException.usage("say which trace: either --trace PATH or --generate, not both");
    }
    try (BenchPolicies loaded = BenchPolicies.load(List.of(zip))) {
      TriedPolicy tried = TriedPolicy.of(loaded, zip, policy);
      @Nullable String named = role;
      Set<PolicySlot> slots = named == null ? byDefault(tried) : tried.in("--role", named);
      BenchedPolicy own = tried.benched(loaded, settings);
      BenchedPolicy other = other(loaded, slots);
      ModelTrace requestsOf = read();
      PolicyTrial trial =
          new PolicyTrial(options(requestsOf, slots), requestsOf, own, slots, other);
      PolicyTrialResult result =
          CallGuard.run(
              trial::run,
              trial.watch()::callNanos,
              () ->
                  "policy ["
                      + tried.policy()
                      + "] does not return from ["
                      + trial.watch().method()
                      + "]: a Manager would abandon it after 1 s");
      out().print(json.json() ? result.json() + "\n" : head(tried) + result.text());
      return result.sound() ? 0 : Errors.FAILURE;
    } catch (TraceException unusable) {
      throw CommandException.failure(String.valueOf(unusable.getMessage()), unusable);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private static String head(TriedPolicy tried) {
    return tried.plugin().id()
        + " "
        + tried.plugin().version()
        + ", sha-256 "
        + tried.plugin().digest()
        + "\n";
  }

  /** All slots of what it is; of the borders that of the SSD, which costs most. */
  private static Set<PolicySlot> byDefault(TriedPolicy tried) {
    Set<PolicySlot> slots = EnumSet.copyOf(tried.slots());
    if (slots.contains(PolicySlot.ADMISSION_SSD)) {
      slots.remove(PolicySlot.ADMISSION_DRAM);
      slots.remove(PolicySlot.ADMISSION_PROMOTE);
    }
    boolean asked = slots.contains(PolicySlot.LOOKAHEAD) || slots.contains(PolicySlot.WARMING);
    if (asked && slots.size() > 1) {
      throw CommandException.usage(
          "policy ["
              + tried.policy()
              + "] serves in "
              + slots.stream().map(PolicySlot::key).toList()
              + ": choose with --role");
    }
    return slots;
  }

  private @Nullable BenchedPolicy other(BenchPolicies loaded, Set<PolicySlot> slots) {
    if (BUILT_IN.contains(against)) {
      return null;
    }
    BenchedPolicy found = null;
    for (PolicySlot slot : slots) {
      found = loaded.of(slot, List.of(against), Map.of()).getFirst();
    }
    return found;
  }

  private PolicyTrialOptions options(ModelTrace requestsOf, Set<PolicySlot> slots) {
    long all = (long) requestsOf.distinctPages() * requestsOf.pageTokens() * tokenBytes;
    boolean memoryAlone =
        slots.equals(EnumSet.of(PolicySlot.RETENTION_DRAM))
            || slots.equals(EnumSet.of(PolicySlot.ADMISSION_DRAM));
    return new PolicyTrialOptions(
        capacity == null ? Math.max(1, all / 32) : capacity.bytes(),
        ssd == null ? memoryAlone ? 0 : all / 8 : ssd.bytes(),
        tokenBytes,
        writeLimit == null ? 0 : writeLimit.bytes(),
        seed,
        decisions);
  }

  private ModelTrace read() {
    if (requests < 1) {
      throw CommandException.usage("--requests [" + requests + "] must be positive");
    }
    @Nullable Path file = trace;
    try (TraceSource source =
        file != null
            ? TraceFiles.open(file, seed)
            : new TraceGenerator(GeneratorSettings.conversations(seed, requests))) {
      return ModelTraces.read(source, 0, requests);
    }
  }
}
