package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.Gauge;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.admin.StatusReporter;
import io.orbitkv.manager.dispatch.BackingPort;
import io.orbitkv.manager.dispatch.Cells;
import io.orbitkv.manager.dispatch.Copiers;
import io.orbitkv.manager.dispatch.DeviceThread;
import io.orbitkv.manager.dispatch.Dispatcher;
import io.orbitkv.manager.dispatch.PoolProgress;
import io.orbitkv.manager.fixture.FakeKernel;
import io.orbitkv.manager.policy.Journal;
import io.orbitkv.manager.session.SessionDirectory;
import io.orbitkv.manager.shadow.Shadows;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class MetricsReporterTest {
  private static final WorkerLayout LAYOUT =
      new WorkerLayout(
          0,
          1,
          16,
          -1,
          List.of(new GroupSpec(0, new GroupRule.Prefix())),
          List.of(new LayerLayout("layer.0", 0, 0, 4, 8192, 1, 0, 8192)));

  private final FakeKernel kernel = new FakeKernel();
  private final ManagerMeterRegistry registry = new ManagerMeterRegistry(System::nanoTime);
  private final DispatcherMeters meters = new DispatcherMeters(registry);

  /** A device that takes an opening and never comes back from it, until a test lets it. */
  private static final class WedgedCopier implements DeviceCopier {
    final CountDownLatch entered = new CountDownLatch(1);
    final CountDownLatch release = new CountDownLatch(1);

    @Override
    public String memoryKind() {
      return DeviceMemoryDescriptor.SharedMemory.KIND;
    }

    @Override
    public void registerHostMemory(HostChunk chunk) {}

    @Override
    public DeviceMemory open(DeviceMemoryDescriptor descriptor, WorkerLayout layout) {
      entered.countDown();
      try {
        release.await();
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      return () -> {};
    }

    @Override
    public boolean submit(CopyPlan plan, CopyListener listener) {
      return false;
    }

    @Override
    public void close() {}
  }

  @Test
  void http_whileADeviceIsWedged_answers() throws Exception {
    WedgedCopier copier = new WedgedCopier();
    kernel.script(event ->
        event instanceof Event.Sync
            ? List.of(
                new Command.OpenDevice(
                    1, new DeviceMemoryDescriptor.SharedMemory(1, 3, 4096), LAYOUT))
            : List.of());
    Copiers copiers = new Copiers(List.of(copier));
    DeviceThread devices = new DeviceThread();
    Dispatcher dispatcher = dispatcher(copiers, devices);
    dispatcher.start();
    dispatcher.submit(new Event.Sync(1, 1));
    copier.entered.await();
    MetricsReporter reporter = reporter(dispatcher, copiers);
    try (MetricsServer server =
        MetricsServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), reporter)) {
      assertThat(get(server, "/metrics"))
          .contains(
              "\norbitkv_pool_capacity_bytes 1048576\n",
              "\norbitkv_copier_inflight_plans{copier=\"shared-memory\"} 0\n");
      assertThat(get(server, "/health")).isEqualTo("ok\n");
    } finally {
      copier.release.countDown();
      dispatcher.close();
      devices.close();
    }
    assertThatThrownBy(() -> reporter.export(true))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has ended");
    assertThat(reporter.trouble()).contains("has ended");
  }

  @Test
  void export_whileAGaugeHangs_saysSoAndHealthAnswers() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Copiers copiers = new Copiers(List.of());
    DeviceThread devices = new DeviceThread();
    Dispatcher dispatcher = dispatcher(copiers, devices);
    dispatcher.start();
    try {
      MetricsReporter reporter = reporter(dispatcher, copiers, Duration.ofMillis(1));
      Gauge.builder(
              "orbitkv_hanging",
              () -> {
                try {
                  release.await();
                } catch (InterruptedException interrupted) {
                  Thread.currentThread().interrupt();
                }
                return 1;
              })
          .register(registry);

      assertThatThrownBy(() -> reporter.export(true))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("a gauge of a plugin or the backing tier hangs");
      assertThat(reporter.trouble()).isEmpty();
    } finally {
      release.countDown();
      dispatcher.close();
      devices.close();
    }
  }

  private Dispatcher dispatcher(Copiers copiers, DeviceThread devices) {
    return new Dispatcher(
        kernel,
        System::nanoTime,
        copiers,
        devices,
        BackingPort.none(),
        cause -> {},
        64,
        now -> {},
        meters);
  }

  private MetricsReporter reporter(Dispatcher dispatcher, Copiers copiers) {
    return reporter(dispatcher, copiers, Duration.ofSeconds(10));
  }

  private MetricsReporter reporter(Dispatcher dispatcher, Copiers copiers, Duration exportLimit) {
    SessionDirectory sessions = new SessionDirectory();
    PoolProgress progress = new PoolProgress(1 << 20);
    StatusReporter status =
        new StatusReporter(
            new StatusReporter.Fixed(
                "test", 1, "none", "", Optional::empty, List.of(), 1, List::of, List::of),
            Cells.of(dispatcher),
            _ -> List.of(),
            sessions,
            progress,
            System::nanoTime);
    return new MetricsReporter(
        registry,
        List.of(meters),
        Cells.of(dispatcher),
        copiers,
        sessions,
        progress,
        status,
        MetricsReporter.Backing.NONE,
        Journal.inMemory(16, 16),
        new Shadows(new Shadows.Parts(1 << 20, false, Optional::empty, System::nanoTime)),
        exportLimit);
  }

  private static String get(MetricsServer server, String path) throws IOException {
    URI uri = URI.create("http://127.0.0.1:" + server.address().getPort() + path);
    try (InputStream text = uri.toURL().openStream()) {
      return new String(text.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
