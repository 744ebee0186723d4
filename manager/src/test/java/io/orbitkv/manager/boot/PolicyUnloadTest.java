package io.orbitkv.manager.boot;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginHostOptions;
import io.orbitkv.manager.plugin.PluginTrust;
import io.orbitkv.manager.plugin.PluginWorkshop;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.policy.PolicyHost;
import io.orbitkv.manager.policy.PolicyLimits;
import io.orbitkv.manager.policy.SlotPlan;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Of a policy that was swapped away nothing keeps the plugin's classes. */
@Timeout(120)
class PolicyUnloadTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String GAUGE = "orbitkv_host_copy_depth";
  private static final TierFacts TIER = new TierFacts(TierKind.SSD, 1, 1, 1, 1, 1, 1, 1);
  private static final String POLICY =
      """
      record Trial(@Setting(def = "3", doc = "number") int trial) {}
      @Override public List<io.orbitkv.api.policy.PolicyFactory<?>> policies() {
        return List.of(
            io.orbitkv.api.policy.Policies.admission(
                "comeback",
                Trial.class,
                (settings, context) -> {
                  context.meters().gauge("depth", "a gauge of the policy", () -> 7);
                  context.schedule(java.time.Duration.ofMinutes(1), 1);
                  return (chain, tier) -> io.orbitkv.api.policy.Admission.drop(
                      io.orbitkv.api.policy.Reason.of("trial-" + settings.trial()));
                }));
      }
      """;

  private static PluginWorkshop workshop;

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final BlockingQueue<Event> reports = new LinkedBlockingQueue<>();

  @TempDir Path work;
  @TempDir Path plugins;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  @Test
  void swapAway_thenUnload_loaderCollected() throws Exception {
    workshop.plugin("host-copy").members(POLICY).zipInto(plugins);
    try (PluginHost plugin =
            PluginHost.open(
                plugins,
                new PluginTrust.Any(),
                PluginHostOptions.of(work, registry, System::nanoTime));
        PolicyHost policies = policies()) {
      WeakReference<ClassLoader> loader = use(plugin, policies);
      assertThat(registry.find(GAUGE).gauge()).isNotNull();

      policies.change(Map.of(PolicySlot.ADMISSION_SSD, SlotPlan.KERNEL), "test");
      awaitEnd(policies);
      assertThat(plugin.unload("host-copy")).containsExactly("host-copy");
      assertCollected(loader);
    }
  }

  /** In a frame of its own, so that nothing of the plugin stays on the stack. */
  private WeakReference<ClassLoader> use(PluginHost plugin, PolicyHost policies)
      throws InterruptedException {
    ManagerConfig config =
        ManagerConfig.load(
            null, Map.of(), new HostFacts(Map.of(), 7, 16L << 30, 1L << 30, Path.of("/opt")));
    PolicyCatalog catalog = new PluginPolicies(config, plugin);
    SlotPlan plan =
        catalog.bind(
            PolicySlot.ADMISSION_SSD,
            List.of(new PolicyCatalog.Named("comeback", catalog.settings(Map.of("trial", "5")))));
    policies.change(Map.of(PolicySlot.ADMISSION_SSD, plan), "test");
    policies.ask(
        new Command.AskAdmission(
            1,
            PolicySlot.ADMISSION_SSD,
            new ChainFacts(1, -1, 0, 1, 0, 1, TierKind.DRAM, -1, 1, 0.5)),
        System.nanoTime());
    Event advice = null;
    while (advice == null) {
      policies.advance(System.nanoTime());
      advice = reports.poll(1, TimeUnit.MILLISECONDS);
    }
    return new WeakReference<>(
        plugin.policy("comeback").orElseThrow().factory().settings().getClassLoader());
  }

  private PolicyHost policies() {
    PolicyHost host =
        new PolicyHost(
            new PolicyHost.Parts(
                PolicyLimits.DEFAULT,
                System::nanoTime,
                System::currentTimeMillis,
                new SplittableRandom(3),
                registry,
                Journal.inMemory(16, 1),
                () -> TIER,
                () -> TIER,
                0));
    host.connect(reports::add, () -> {});
    return host;
  }

  /** Its meters go last, when its thread has ended. */
  private void awaitEnd(PolicyHost policies) {
    long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
    while (registry.find(GAUGE).gauge() != null && System.nanoTime() < deadlineNanos) {
      policies.advance(System.nanoTime());
      Thread.onSpinWait();
    }
    assertThat(registry.find(GAUGE).gauge()).isNull();
  }

  private static void assertCollected(WeakReference<?> reference) {
    long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
    while (reference.get() != null && System.nanoTime() < deadlineNanos) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(reference.get()).as("the plugin's class loader").isNull();
  }
}
