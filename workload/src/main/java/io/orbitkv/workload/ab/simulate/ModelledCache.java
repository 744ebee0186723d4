package io.orbitkv.workload.ab.simulate;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.References;
import io.orbitkv.model.RequestOutcome;
import io.orbitkv.model.TimedModel;
import io.orbitkv.model.TimedSettings;
import io.orbitkv.workload.ab.assign.Arm;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntPredicate;

/** The keys-only model of the cache, with the policies of each variant. */
public final class ModelledCache implements SimulatedModel {
  private static final double NANOS_PER_SECOND = 1e9;

  private final ModelTrace trace;
  private final long tokenBytes;
  private final long dramBytes;
  private final long ssdBytes;
  private final long seed;
  private final TimedSettings times;
  private final Function<Arm, Policies> policies;

  /**
   * The policies of one run.
   *
   * @param bySlot without cutoffs; slots without one run their defaults
   * @param cutoffs all of them
   */
  public record Policies(Map<PolicySlot, HostedPolicy> bySlot, List<HostedPolicy> cutoffs) {
    /** Copies the collections. */
    public Policies {
      bySlot = Map.copyOf(bySlot);
      cutoffs = List.copyOf(cutoffs);
    }
  }

  /**
   * A model.
   *
   * @param tokenBytes bytes of a token over all layers
   * @param seed of candidates that are sampled
   * @param times speeds; requests come at their arrival
   * @param policies new instances for a run of a variant
   */
  public ModelledCache(
      ModelTrace trace,
      long tokenBytes,
      long dramBytes,
      long ssdBytes,
      long seed,
      TimedSettings times,
      Function<Arm, Policies> policies) {
    this.trace = trace;
    this.tokenBytes = tokenBytes;
    this.dramBytes = dramBytes;
    this.ssdBytes = ssdBytes;
    this.seed = seed;
    this.times = times;
    this.policies = policies;
  }

  @Override
  public String trace() {
    return trace.name();
  }

  @Override
  public int requests() {
    return trace.requests();
  }

  @Override
  public double durationSeconds() {
    int last = trace.requests() - 1;
    return last < 0 ? 0 : (trace.arrivalNanos(last) - trace.arrivalNanos(0)) / NANOS_PER_SECOND;
  }

  @Override
  public long conversation(int request) {
    return trace.chainRoot(request);
  }

  @Override
  public long pageBytes() {
    return tokenBytes * trace.pageTokens();
  }

  @Override
  public long dramBytes() {
    return dramBytes;
  }

  @Override
  public long ssdBytes() {
    return ssdBytes;
  }

  @Override
  public List<SimulatedRequest> run(Arm arm, double share, IntPredicate requests) {
    List<Integer> met = new ArrayList<>();
    for (int request = 0; request < trace.requests(); request++) {
      if (requests.test(request)) {
        met.add(request);
      }
    }
    ModelTrace own = met.size() == trace.requests() ? trace : part(met);
    ModelSettings settings =
        ModelSettings.twoTiers(
            own, tokenBytes, (long) (dramBytes * share), (long) (ssdBytes * share), seed);
    long startNanos = trace.requests() == 0 ? 0 : trace.arrivalNanos(0);
    List<SimulatedRequest> outcomes = new ArrayList<>();
    Policies of = policies.apply(arm);
    TimedModel model = new TimedModel(own, settings, times, of.bySlot(), of.cutoffs());
    for (RequestOutcome outcome : model.run()) {
      int request = met.get(outcome.index());
      outcomes.add(
          new SimulatedRequest(
              (trace.arrivalNanos(request) - startNanos) / NANOS_PER_SECOND,
              // Of the whole trace: what of it a variant meets does not make other conversations.
              trace.chainRoot(request),
              outcome.pages(),
              outcome.dramPages(),
              outcome.ssdPages(),
              outcome.ssdReadBytes(),
              outcome.ssdWrittenBytes(),
              outcome.ttftSeconds()));
    }
    return List.copyOf(outcomes);
  }

  @Override
  public ReferenceLines references() {
    ModelSettings settings = ModelSettings.twoTiers(trace, tokenBytes, dramBytes, ssdBytes, seed);
    // A page may be in both tiers, but the bound is that of all the room there is.
    long pages = (dramBytes + ssdBytes) / pageBytes();
    return new ReferenceLines(
        References.lru(trace, settings),
        References.clairvoyant(trace, (int) Math.min(Integer.MAX_VALUE / 2, pages)),
        References.infinite(trace));
  }

  private ModelTrace part(List<Integer> requests) {
    ModelTrace.Builder builder = new ModelTrace.Builder(trace.name(), trace.pageTokens());
    for (int request : requests) {
      long[] ids = new long[trace.pages(request)];
      for (int i = 0; i < ids.length; i++) {
        ids[i] = trace.id(trace.page(request, i));
      }
      builder.add(
          trace.arrivalNanos(request),
          trace.inputTokens(request),
          trace.outputTokens(request),
          ids);
    }
    return builder.build();
  }
}
