package io.orbitkv.cli;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.config.DefaultPolicies;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.TimedSettings;
import io.orbitkv.workload.policy.BenchedPolicy;
import io.orbitkv.workload.policy.ModelBench;
import io.orbitkv.workload.policy.ModelBenchResult;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "model",
    description = {
      "Model times to first token of requests that reuse 32 prefixes, with no cache but the"
          + " engine's own, with every policy slot at what is built in (everything is copied,"
          + " written and restored), and with the default policies of this installation; 8 GiB, 8"
          + " GiB with an SSD of 36 GiB, and 40 GiB of host memory.",
      "",
      "Speeds are those measured with Qwen3-8B on one H200. Starts no Manager; deterministic.",
      "",
      "Status 1 when the defaults are worse than no cache, in mean or p95 and at any size."
    },
    footer = {
      "",
      "Examples:",
      "  orbitkv bench model",
      "  orbitkv bench model --requests 192 --seeds 20 --json"
    })
final class ModelBenchCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--requests",
      paramLabel = "N",
      defaultValue = "2000",
      description = "Requests of a run, which starts with nothing. Default: ${DEFAULT-VALUE}.")
  private int requests;

  @Option(
      names = "--seeds",
      paramLabel = "N",
      defaultValue = "5",
      description = "Runs, of which all requests are taken together. Default: ${DEFAULT-VALUE}.")
  private int seeds;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "8",
      description = "Requests at a time. Default: ${DEFAULT-VALUE}.")
  private int concurrency;

  @Option(
      names = "--prefill-rate",
      paramLabel = "TOKENS",
      defaultValue = "40000",
      description = "Tokens a second that the engine computes. Default: ${DEFAULT-VALUE}.")
  private double prefillRate;

  @Option(
      names = "--ssd-rate",
      paramLabel = "BYTES",
      defaultValue = "1500000000",
      description = "Bytes a second of the SSD. Default: ${DEFAULT-VALUE}.")
  private double ssdRate;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() {
    try (BenchPolicies installed = BenchPolicies.load(List.of())) {
      Map<PolicySlot, BenchedPolicy> byDefault = new EnumMap<>(PolicySlot.class);
      for (PolicySlot slot : PolicySlot.values()) {
        DefaultPolicies.of(slot)
            .ifPresent(name ->
                byDefault.put(slot, installed.of(slot, List.of(name), Map.of()).getFirst()));
      }
      TimedSettings times = TimedSettings.measured(concurrency).withSpeeds(prefillRate, ssdRate);
      ModelBenchResult result =
          new ModelBench(requests, seeds, times, seed -> instances(byDefault, seed)).run();
      out().print(json.json() ? result.json() + "\n" : result.table());
      return result.defaultNeverWorse() ? 0 : 1;
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  /** As in a Manager: one instance for all slots that name a policy. */
  private static Map<PolicySlot, HostedPolicy> instances(
      Map<PolicySlot, BenchedPolicy> policies, long seed) {
    Map<String, HostedPolicy> made = new HashMap<>();
    Map<PolicySlot, HostedPolicy> hosted = new EnumMap<>(PolicySlot.class);
    policies.forEach((slot, policy) ->
        hosted.put(
            slot,
            made.computeIfAbsent(
                policy.name(),
                name -> {
                  ModelContext context = new ModelContext(name, seed);
                  return new HostedPolicy(name, policy.create().apply(context), context);
                })));
    return hosted;
  }
}
