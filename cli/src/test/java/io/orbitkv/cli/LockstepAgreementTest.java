package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.manager.Manager;
import io.orbitkv.manager.config.BoundPolicy;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.PolicyBinding;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.model.HostedPolicy;
import io.orbitkv.model.ModelContext;
import io.orbitkv.model.ModelRun;
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.RequestOutcome;
import io.orbitkv.model.VictimRule;
import io.orbitkv.workload.replay.Replay;
import io.orbitkv.workload.replay.ReplayOptions;
import io.orbitkv.workload.replay.ReplayResult;
import io.orbitkv.workload.report.ServedRequest;
import io.orbitkv.workload.trace.EnginePace;
import io.orbitkv.workload.trace.GeneratorSettings;
import io.orbitkv.workload.trace.PageKeys;
import io.orbitkv.workload.trace.TraceGenerator;
import io.orbitkv.workload.trace.TraceRequest;
import io.orbitkv.workload.trace.TraceSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A Manager with real bytes in real files and the model of it do the same with a trace, request by
 * request, whatever policies serve. The clock is the trace's, and both ask between the steps of
 * requests alone: in lockstep.
 *
 * <p>The small case is one in which nothing is drawn by chance (there are fewer leaves than are
 * always looked at) and the store keeps what it has; host memory turns over several times.
 */
@Timeout(120)
class LockstepAgreementTest {
  private static final int REQUESTS = 120;
  private static final int PAGE_TOKENS = 64;
  private static final int TOKEN_BYTES = 256;
  private static final long PAGE_BYTES = PAGE_TOKENS * TOKEN_BYTES;
  private static final long SEED = 5;
  private static final long START_NANOS = 1_000_000_000L;

  @TempDir Path home;
  // Not in the temporary folder, which may be memory that knows no direct access.
  private Path folder = Path.of("");

  @BeforeEach
  void install() throws IOException {
    List<String> folders = new ArrayList<>(List.of("dram-tier", "host-copy", "ssd-iouring"));
    folders.addAll(TestHome.policies());
    TestHome.install(home, folders);
    TestHome.bundle(home, "w-tinylfu", "caffeine");
    Path target = Path.of(System.getProperty("basedir", "."), "target").toAbsolutePath();
    folder = Files.createTempDirectory(Files.createDirectories(target), "lockstep-");
  }

  @AfterEach
  void uninstall() throws IOException {
    TestHome.uninstall();
    try (Stream<Path> left = Files.list(folder)) {
      for (Path file : left.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(folder);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{retention: {dram: lru}}",
        "{retention: {dram: segmented-lru}}",
        "{retention: {dram: w-tinylfu}}",
        "{retention: {dram: return-density}}",
        "{admission: {ssd: write-on-reuse}}",
        "{admission: {ssd: write-adaptive}}",
        "{admission: {dram: write-on-reuse}}",
        "{admission: {promote: write-on-reuse}}",
        "{retention: {dram: return-density}, admission: {dram: write-adaptive, ssd: write-on-reuse,"
            + " promote: write-adaptive}}",
      })
  void liveAndModelledRun_inLockstep_agreeOnEveryRequestAndByte(String policies) throws Exception {
    Path file =
        Files.writeString(
            home.resolve("orbitkv.yaml"),
            """
            socket: %s
            memory: {pool-size: 16mb}
            ssd: {paths: [%s], capacity: 256mb}
            policies: %s
            """
                .formatted(home.resolve("run/manager.sock"), folder.resolve("store"), policies));
    HostFacts here = HostFacts.detect();
    ManagerConfig config =
        ManagerConfig.load(
            file,
            Map.of(),
            new HostFacts(Map.of(), here.uid(), here.memoryLimitBytes(), here.heapBytes(), home));

    Live live = live(config);
    List<RequestOutcome> modelled = modelled(config, live.poolBytes());

    List<String> different = new ArrayList<>();
    for (int r = 0; r < REQUESTS; r++) {
      int restored = live.hits()[r];
      if (restored != modelled.get(r).hitPages()) {
        different.add("request " + r + ": live " + restored + ", modelled " + modelled.get(r));
      }
    }
    assertThat(different).as("hits of requests with %s", policies).isEmpty();
    ModelTotals totals = ModelTotals.of(modelled);
    ReplayResult result = live.result();
    assertThat(result.sound()).isTrue();
    assertThat(result.restoredPages()).isEqualTo(totals.hitPages()).isPositive();
    assertThat(result.store().readBytes()).as("read bytes").isEqualTo(totals.ssdReadBytes());
    assertThat(result.store().payloadBytes()).as("bytes written").isEqualTo(totals.ssdWrittenBytes());
    assertThat(result.evictedPages()).isPositive();
    assertThat(totals.ssdReadBytes()).isPositive();
  }

  private record Live(ReplayResult result, int[] hits, long poolBytes) {}

  private Live live(ManagerConfig config) throws Exception {
    AtomicLong clock = new AtomicLong(START_NANOS);
    List<Integer> fatal = new CopyOnWriteArrayList<>();
    List<ServedRequest> served = new CopyOnWriteArrayList<>();
    try (Manager manager =
            Manager.start(
                config,
                ManagerEnvironment.system()
                    .withClock(clock::get)
                    .withFatalExit(fatal::add)
                    .withEnd(Duration.ofSeconds(1), Duration.ofSeconds(20)));
        TraceSource trace = trace()) {
      Replay replay =
          new Replay(
              new ReplayOptions(
                  PAGE_TOKENS, TOKEN_BYTES, 4, 8 << 20, 1, 0, REQUESTS, EnginePace.NONE, true),
              manager.socketPath(),
              trace,
              SEED,
              served::add,
              request -> clock.set(START_NANOS + request.arrivalNanos()));
      ReplayResult result = replay.run();
      KernelStatus status = manager.kernelStatus();
      manager.verify();
      assertThat(fatal).isEmpty();
      int[] hits = new int[REQUESTS];
      served.forEach(request -> hits[(int) request.index()] = request.restoredPages());
      return new Live(result, hits, status.memory().capacityBytes());
    }
  }

  private static List<RequestOutcome> modelled(ManagerConfig config, long poolBytes) {
    ModelTrace.Builder builder = new ModelTrace.Builder("lockstep", PAGE_TOKENS);
    try (TraceSource trace = trace()) {
      TraceRequest request = trace.next();
      for (int r = 0; r < REQUESTS && request != null; r++) {
        long[] keys = PageKeys.of(request, PAGE_TOKENS);
        long[] ids = new long[keys.length / PageKeys.LONGS];
        for (int i = 0; i < ids.length; i++) {
          ids[i] = PageIds.of(keys[i * PageKeys.LONGS], keys[i * PageKeys.LONGS + 1]);
        }
        builder.add(
            START_NANOS + request.arrivalNanos(),
            request.inputTokens(),
            request.outputTokens(),
            ids);
        request = trace.next();
      }
    }
    ModelSettings settings =
        new ModelSettings(
            PAGE_BYTES,
            poolBytes,
            config.settings().ssd().capacity().bytes(),
            VictimRule.lockstep(),
            0,
            SEED);
    try (PluginHost host = Plugins.host(config)) {
      return new ModelRun(
              builder.build(), settings, instances(PolicyBinding.bind(config.policies(), host)))
          .run();
    }
  }

  private static TraceSource trace() {
    return new TraceGenerator(GeneratorSettings.conversations(SEED, REQUESTS));
  }

  /** New instances; one for all slots that name a policy with equal settings. */
  private static Map<PolicySlot, HostedPolicy> instances(List<BoundPolicy> bound) {
    Map<PolicySlot, HostedPolicy> bySlot = new EnumMap<>(PolicySlot.class);
    Map<String, HostedPolicy> made = new HashMap<>();
    for (BoundPolicy policy : bound) {
      String name = policy.choice().name();
      ModelContext context = new ModelContext(name, SEED);
      bySlot.put(
          policy.choice().slot(),
          made.computeIfAbsent(
              name + " " + policy.settings(),
              _ ->
                  policy
                      .provided()
                      .call(factory ->
                          new HostedPolicy(
                              name, create(factory, policy.settings(), context), context))));
    }
    return bySlot;
  }

  private static <S extends Record> Policy create(
      PolicyFactory<S> factory, Record settings, ModelContext context) {
    return factory.create().apply(factory.settings().cast(settings), context);
  }
}
