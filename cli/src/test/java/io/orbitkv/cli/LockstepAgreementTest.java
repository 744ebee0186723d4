package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

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
import io.orbitkv.model.ModelSettings;
import io.orbitkv.model.ModelTotals;
import io.orbitkv.model.ModelTrace;
import io.orbitkv.model.RequestOutcome;
import io.orbitkv.model.TimedModel;
import io.orbitkv.model.TimedSettings;
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
 * <p>The small case is one that leaves nothing to what the model leaves out: there are fewer leaves
 * than are always looked at, so none is drawn by chance; the store keeps what it has, so that it
 * does not matter that it gives whole segments up. Host memory turns over several times.
 *
 * <p>What is left is this: a page whose last child went is put where its own last use says only if
 * that is among the 32 oldest, and counts as just used otherwise, while the model knows its exact
 * place. That decides between pages that a policy scores alike, so that with such a policy a few
 * pages of one conversation are in host memory here and in the store there. Their hits are equal
 * all the same; the bytes read may differ by {@link #MOST_READS_APART}.
 */
@Timeout(120)
class LockstepAgreementTest {
  private static final int REQUESTS = 120;
  private static final int PAGE_TOKENS = 64;
  private static final int TOKEN_BYTES = 256;
  private static final long PAGE_BYTES = PAGE_TOKENS * TOKEN_BYTES;
  private static final long SEED = 5;

  /** A policy may care which of the pages that are read comes first. */
  private static final String READS_IN_ORDER = "read-batch: 16kb, read-pipeline: 1";

  /** Percent. */
  private static final double MOST_READS_APART = 5;

  private static final List<String> SCORES_ALIKE = List.of("w-tinylfu");

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
        "",
        "retention.dram=lru",
        "retention.dram=segmented-lru",
        "retention.dram=w-tinylfu",
        "retention.dram=return-density",
        "cutoff={stopping-cutoffs: {read-batch: 64kb, read-max-batches: 2}}",
        "admission.ssd=write-adaptive",
        "admission.ssd=write-on-reuse;admission.promote=write-on-reuse",
        "admission.dram=write-on-reuse",
        "retention.dram=lru;admission.dram=write-adaptive;admission.ssd=write-on-reuse;"
            + "admission.promote=write-adaptive",
      })
  void liveAndModelledRun_inLockstep_agreeOnEveryRequestAndByte(String policies) throws Exception {
    Path file =
        Files.writeString(
            home.resolve("orbitkv.yaml"),
            """
            socket: %s
            memory: {pool-size: 16mb}
            ssd: {paths: [%s], capacity: 256mb}
            query: {%s}
            policies: %s
            """
                .formatted(
                    home.resolve("run/manager.sock"),
                    folder.resolve("store"),
                    policies.contains("cutoff") ? "" : READS_IN_ORDER,
                    section(policies)));
    HostFacts here = HostFacts.detect();
    ManagerConfig config =
        ManagerConfig.load(
            file,
            Map.of(),
            new HostFacts(Map.of(), here.uid(), here.memoryLimitBytes(), here.heapBytes(), home));

    Live live = live(config);
    List<RequestOutcome> modelled = modelled(config, live.poolBytes());

    boolean scoresAlike = SCORES_ALIKE.stream().anyMatch(policies::contains);
    List<String> different = new ArrayList<>();
    for (int r = 0; r < REQUESTS; r++) {
      int restored = live.hits()[r];
      long read = live.read()[r + 1] - live.read()[r];
      RequestOutcome outcome = modelled.get(r);
      boolean sameRead = scoresAlike || read == outcome.ssdReadBytes();
      if (restored != outcome.hitPages() || !sameRead) {
        different.add(
            "request " + r + ": live " + restored + " pages, " + read + " B, modelled " + outcome);
      }
    }
    assertThat(different).as("hits and reads of requests with %s", policies).isEmpty();
    ModelTotals totals = ModelTotals.of(modelled);
    ReplayResult result = live.result();
    assertThat(result.sound()).isTrue();
    assertThat(result.restoredPages()).isEqualTo(totals.hitPages()).isPositive();
    assertThat(result.store().readBytes())
        .as("read bytes")
        .isCloseTo(totals.ssdReadBytes(), withinPercentage(scoresAlike ? MOST_READS_APART : 0.0));
    assertThat(result.store().payloadBytes())
        .as("bytes written")
        .isEqualTo(totals.ssdWrittenBytes());
    // Where only what returned enters host memory, there is room for it.
    assertThat(result.evictedPages() > 0 && totals.ssdReadBytes() > 0)
        .isEqualTo(!policies.contains("admission.dram=write-on-reuse"));
  }

  /** The section {@code policies}: what is built in serves in slots that are not named. */
  private static String section(String policies) {
    Map<String, String> slots = new HashMap<>();
    for (String slot : policies.split(";", -1)) {
      int equals = slot.indexOf('=');
      if (equals > 0) {
        slots.put(slot.substring(0, equals), slot.substring(equals + 1));
      }
    }
    return "{cutoff: %s, admission: {dram: %s, ssd: %s, promote: %s}, retention: {ssd: none, dram: %s}}"
        .formatted(
            slots.getOrDefault("cutoff", "none"),
            slots.getOrDefault("admission.dram", "none"),
            slots.getOrDefault("admission.ssd", "none"),
            slots.getOrDefault("admission.promote", "none"),
            slots.getOrDefault("retention.dram", "none"));
  }

  /**
   * @param read bytes read from the store before each request, and at the end
   */
  private record Live(ReplayResult result, int[] hits, long[] read, long poolBytes) {}

  private Live live(ManagerConfig config) throws Exception {
    AtomicLong clock = new AtomicLong(START_NANOS);
    List<Integer> fatal = new CopyOnWriteArrayList<>();
    List<ServedRequest> served = new CopyOnWriteArrayList<>();
    long[] read = new long[REQUESTS + 1];
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
              request -> {
                clock.set(START_NANOS + request.arrivalNanos());
                read[(int) request.index()] = readBytes(manager);
              });
      ReplayResult result = replay.run();
      KernelStatus status = manager.kernelStatus();
      read[REQUESTS] = readBytes(manager);
      manager.verify();
      assertThat(fatal).isEmpty();
      int[] hits = new int[REQUESTS];
      served.forEach(request -> hits[(int) request.index()] = request.restoredPages());
      return new Live(result, hits, read, status.memory().capacityBytes());
    }
  }

  private static long readBytes(Manager manager) {
    return manager.kernelStatus().counters().getOrDefault("read_bytes", 0L);
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
      return new TimedModel(
              builder.build(),
              settings,
              TimedSettings.measured(0).withDevice(0),
              instances(PolicyBinding.bind(config.policies(), host)),
              List.of())
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
