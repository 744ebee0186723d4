package io.orbitkv.testkit.policy;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.CutoffPolicy.ReadProgress;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.model.ModelTrace;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Asks one policy, with facts that are built in a line and a clock that moves only when told to:
 *
 * {@snippet :
 * PolicyTester tester = PolicyTester.of(new MyPlugin()).set("history", "100");
 * assertThat(tester.chain(7).pages(4).admitToStore()).isInstanceOf(Admission.Drop.class);
 * assertThat(tester.chain(7).pages(4).admitToStore()).isInstanceOf(Admission.Admit.class);
 * }
 *
 * <p>The policy is made at the first question; settings and seed are given before. Test thread.
 */
public final class PolicyTester {
  private final PolicyFactory<?> factory;
  private final Map<String, String> values = new TreeMap<>();
  private @Nullable Record settings;
  private long seed = 1;
  private @Nullable TestPolicyContext context;
  private @Nullable Policy policy;
  private @Nullable PagesTrial pages;
  private TierFacts memory = TestTier.of(TierKind.DRAM).facts();
  private TierFacts store = TestTier.of(TierKind.SSD).facts();
  private long prefillTokensPerSecond = Facts.UNKNOWN;
  private long queuedTokens = Facts.UNKNOWN;

  private PolicyTester(PolicyFactory<?> factory) {
    this.factory = factory;
  }

  /** A tester of the policies that a factory makes. */
  public static PolicyTester of(PolicyFactory<?> factory) {
    return new PolicyTester(factory);
  }

  /**
   * A tester of the one policy of a plugin.
   *
   * @throws IllegalArgumentException when the plugin has none or several
   */
  public static PolicyTester of(OrbitKvPlugin plugin) {
    if (plugin.policies().size() != 1) {
      throw new IllegalArgumentException(
          "["
              + plugin.getClass().getName()
              + "] has the policies "
              + plugin.policies().stream().map(PolicyFactory::name).toList()
              + ": name the factory of one");
    }
    return of(plugin.policies().getFirst());
  }

  /** The policy's settings, as a record. */
  public PolicyTester settings(Record value) {
    beforeTheFirstQuestion();
    settings = value;
    return this;
  }

  /**
   * One setting, as the configuration writes it; the others have their defaults.
   *
   * @param key in kebab case
   */
  public PolicyTester set(String key, String value) {
    beforeTheFirstQuestion();
    values.put(key, value);
    return this;
  }

  /** The seed of the policy's random. */
  public PolicyTester seed(long value) {
    beforeTheFirstQuestion();
    seed = value;
    return this;
  }

  /** Host memory as the policy sees it from now on. */
  public PolicyTester memory(TestTier tier) {
    memory = tier.facts();
    return this;
  }

  /** The backing tier as the policy sees it from now on. */
  public PolicyTester store(TestTier tier) {
    store = tier.facts();
    return this;
  }

  /** What the engine computes from now on, or {@link Facts#UNKNOWN}. */
  public PolicyTester prefill(long tokensPerSecond) {
    prefillTokensPerSecond = tokensPerSecond;
    return this;
  }

  /** What the engine still has to compute from now on, or {@link Facts#UNKNOWN}. */
  public PolicyTester queuedTokens(long tokens) {
    queuedTokens = tokens;
    return this;
  }

  /** A chain, to be described and asked about. */
  public ChainTrial chain(long id) {
    return new ChainTrial(this, id);
  }

  /** A request, to be described and asked about. */
  public RequestTrial request(String id) {
    return new RequestTrial(this, id);
  }

  /** Accepted requests in arrival order. */
  public QueueTrial queue(RequestTrial... requests) {
    return new QueueTrial(this, Arrays.stream(requests).map(RequestTrial::facts).toList());
  }

  /** The pages of a tier; the same object at each call. */
  public PagesTrial pages() {
    PagesTrial known = pages;
    if (known == null) {
      known = new PagesTrial(this);
      pages = known;
    }
    return known;
  }

  /**
   * A whole trace that the policy is to meet, on a model of the cache, beside the order of last
   * use. With an instance of its own: what this tester asked before has no part in it.
   *
   * @param trace such as {@link TestTraces#conversations}, or {@link TestTraces#read}
   */
  public TraceTrial onTrace(ModelTrace trace) {
    return new TraceTrial(
        factory, context -> make(factory, settings, values, context), trace, seed);
  }

  /** The same, of a file as {@link TestTraces#read} reads it. */
  public TraceTrial onTrace(Path file) {
    return onTrace(TestTraces.read(file));
  }

  /**
   * Moves the clock; the policy's timers fire on the way.
   *
   * @return the new time in nanoseconds
   */
  public long advance(Duration step) {
    context().advance(step, policy());
    return context().nanoTime();
  }

  /** Asks a cutoff policy whether to read on. */
  public boolean proceed(ReadProgress progress) {
    return policy(CutoffPolicy.class).proceed(progress);
  }

  /** The clock, meters and log of the policy. */
  public TestPolicyContext context() {
    TestPolicyContext known = context;
    if (known == null) {
      known = new TestPolicyContext(factory.name(), seed);
      context = known;
    }
    return known;
  }

  /** The policy itself. */
  public Policy policy() {
    Policy known = policy;
    if (known == null) {
      known = make(factory, settings, values, context());
      policy = known;
    }
    return known;
  }

  /**
   * The policy under the contract of a slot.
   *
   * @throws IllegalArgumentException when it is of another kind
   */
  public <P extends Policy> P policy(Class<P> contract) {
    Policy known = policy();
    if (!contract.isInstance(known)) {
      throw new IllegalArgumentException(
          "policy [" + factory.name() + "] is no " + contract.getSimpleName());
    }
    return contract.cast(known);
  }

  Admission admit(ChainFacts chain, TierFacts target) {
    return policy(AdmissionPolicy.class).admit(chain, target);
  }

  ReadLimits plan(RequestFacts request) {
    long age = prefillTokensPerSecond == Facts.UNKNOWN ? Facts.UNKNOWN : 0;
    return policy(CutoffPolicy.class)
        .plan(
            request,
            store,
            new EngineFacts(request.instance(), prefillTokensPerSecond, age, queuedTokens));
  }

  TierFacts memory() {
    return memory;
  }

  TierFacts store() {
    return store;
  }

  /** Makes a policy; {@code settings}, when given, before {@code values}. */
  static <S extends Record> Policy make(
      PolicyFactory<S> factory,
      @Nullable Record settings,
      Map<String, String> values,
      PolicyContext context) {
    S given =
        settings == null
            ? SettingsReader.read(factory.settings(), values)
            : factory.settings().cast(settings);
    return factory.create().apply(given, context);
  }

  private void beforeTheFirstQuestion() {
    if (policy != null || context != null) {
      throw new IllegalStateException(
          "policy [" + factory.name() + "] is made already: give settings and seed before");
    }
  }
}
