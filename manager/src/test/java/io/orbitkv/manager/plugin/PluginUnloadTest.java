package io.orbitkv.manager.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.manager.settings.SettingsBinder;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An unloaded plugin's class loader is collected, whatever the plugin made through its scope. */
class PluginUnloadTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private static PluginWorkshop workshop;

  private final MeterRegistry meters = new SimpleMeterRegistry();

  @TempDir Path work;
  @TempDir Path plugins;

  @BeforeAll
  static void open(@TempDir Path directory) {
    workshop = new PluginWorkshop(directory);
  }

  private PluginHost host() {
    return PluginHost.open(
        plugins, new PluginTrust.Any(), PluginHostOptions.of(work, meters, System::nanoTime));
  }

  /** In a frame of its own, so that nothing of the plugin stays on the stack. */
  private static WeakReference<ClassLoader> use(PluginHost host, String id) {
    Provided<DeviceCopierFactory<?>> provided = host.copier(id).orElseThrow();
    provided.call(factory -> create(factory, provided.scope()));
    return new WeakReference<>(host.loaderOf(id));
  }

  private static <S extends Record> String create(
      DeviceCopierFactory<S> factory, PluginScope scope) {
    S settings = SettingsBinder.bind(factory.settings(), null, "");
    factory.create(settings, scope);
    return factory.name();
  }

  private static void assertCollected(WeakReference<?> reference) {
    long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
    while (reference.get() != null && System.nanoTime() < deadlineNanos) {
      System.gc();
      Thread.onSpinWait();
    }
    assertThat(reference.get()).as("the plugin's class loader").isNull();
  }

  @Test
  void unload_pluginThatUsedItsWholeScope_loaderCollected() {
    workshop
        .plugin("busy")
        .create(
            """
            Thread thread = context.threads().newThread(() -> {
              try { new java.util.concurrent.CountDownLatch(1).await(); } catch (InterruptedException end) { return; }
            });
            thread.start();
            context.meters().gauge("depth", "a gauge of the plugin's own class", () -> 7);
            context.meters().counter("copies_total", "a counter").add(3);
            context.meters().timer("copy_seconds", "a timer").record(1_000);
            context.closeWithScope(() -> {});
            context.log().log(System.Logger.Level.DEBUG, "made");
            return null;
            """)
        .zipInto(plugins);
    try (PluginHost host = host()) {
      WeakReference<ClassLoader> loader = use(host, "busy");
      assertThat(meters.get("orbitkv_busy_depth").gauge().value()).isEqualTo(7);
      assertThat(meters.get("orbitkv_busy_copies_total").counter().count()).isEqualTo(3);
      assertThat(host.unload("busy")).containsExactly("busy");
      assertCollected(loader);
      assertThat(meters.getMeters()).isEmpty();
    }
  }

  @Test
  void unload_dependency_bothLoadersCollected() {
    PluginWorkshop.Plugin base = workshop.plugin("base").exportsApi();
    base.zipInto(plugins);
    workshop
        .plugin("user")
        .set("plugin.dependencies", "base")
        .requires(base.module())
        .against(base.jar())
        .create("test.base.spi.Greeting.text(); return null;")
        .zipInto(plugins);
    try (PluginHost host = host()) {
      WeakReference<ClassLoader> user = use(host, "user");
      WeakReference<ClassLoader> needed = use(host, "base");
      assertThat(host.unload("base")).containsExactly("user", "base");
      assertCollected(user);
      assertCollected(needed);
    }
  }

  @Test
  void stopAndStart_thenUnload_loaderCollected() {
    workshop.plugin("again").zipInto(plugins);
    try (PluginHost host = host()) {
      WeakReference<ClassLoader> loader = use(host, "again");
      host.stop("again");
      host.start("again");
      use(host, "again");
      host.unload("again");
      assertCollected(loader);
    }
  }

  @Test
  void refusal_ofAPluginWhoseConstructorThrows_loaderCollected() {
    workshop
        .plugin("bad")
        .constructor(
            """
            System.getProperties().put(
                "orbitkv.test.loader",
                new java.lang.ref.WeakReference<>(Entry.class.getClassLoader()));
            throw new IllegalStateException("no") {};
            """)
        .zipInto(plugins);
    try (PluginHost host = host()) {
      assertThat(host.refusals()).hasSize(1);
      assertThat(host.plugins()).isEmpty();
      assertCollected((WeakReference<?>) System.getProperties().get("orbitkv.test.loader"));
    } finally {
      System.getProperties().remove("orbitkv.test.loader");
    }
  }

  @Test
  void close_host_everyLoaderCollected() {
    workshop.plugin("one").zipInto(plugins);
    workshop.plugin("two").zipInto(plugins);
    PluginHost host = host();
    WeakReference<ClassLoader> one = use(host, "one");
    WeakReference<ClassLoader> two = use(host, "two");
    host.close();
    assertCollected(one);
    assertCollected(two);
  }
}
