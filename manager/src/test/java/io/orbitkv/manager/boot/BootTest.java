package io.orbitkv.manager.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.kernel.ReadSettings;
import io.orbitkv.kernel.WriteSettings;
import io.orbitkv.manager.environment.ManagerEnvironment;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.fixture.RawClient;
import io.orbitkv.manager.policy.JournalSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class BootTest {
  private static final long POOL_BYTES = 1 << 20;

  @TempDir Path folder;
  private @Nullable InetSocketAddress metrics;
  private final FakeExtensions extensions = new FakeExtensions();
  private String backingTier = "";
  private @Nullable ArmSplit cells;
  private final BlockingQueue<Integer> exits = new LinkedBlockingQueue<>();

  @Test
  void start_goesInOrderAndCloseInReverse() throws Exception {
    Boot boot = start();
    assertThat(boot.kernelStatus().leases()).isZero();
    boot.close();
    boot.close();

    assertThat(extensions.log)
        .containsExactly(
            "memory of 1048576 on [0]",
            "copier one",
            "copier two",
            "prepare",
            "register 0 with one",
            "register 0 with two",
            "activate 0",
            "close two",
            "close one",
            "close memory",
            "close plugins");
    assertThat(boot.endedClean()).isTrue();
    assertThat(folder.resolve("manager.sock")).doesNotExist();
  }

  @Test
  void copierWithoutADevice_isLeftOut() throws Exception {
    extensions.absent.add("one");
    try (Boot boot = start()) {
      assertThat(boot.startupLine()).contains("copiers two,");
      assertThat(extensions.log).contains("register 0 with two").doesNotContain("copier one");
    }
  }

  @Test
  void copiersAllWithoutADevice_refuseTheStart() {
    extensions.absent.add("one");
    extensions.absent.add("two");

    assertThatThrownBy(this::start)
        .isInstanceOf(ManagerException.class)
        .hasMessageContaining("no such device");
  }

  @Test
  void startupLine_saysWhatRuns() throws Exception {
    try (Boot boot = start()) {
      assertThat(boot.startupLine())
          .isEqualTo(
              "OrbitKV "
                  + Boot.version()
                  + " serves at "
                  + folder.resolve("manager.sock")
                  + ": pool 1mb (a test), query budget 512kb (an instance 256kb), memory tier dram,"
                  + " copiers one two, SSD off (so without effect: query.read-batch 32mb), refused"
                  + " plugins [broken]");
    }
  }

  @Test
  void backingTier_opensBeforeClientsAndClosesBetweenDaemonAndMemory() throws Exception {
    backingTier = "store";
    try (Boot boot = start()) {
      assertThat(boot.startupLine())
          .contains(", backing tier store (query.read-batch 32mb), refused");
    }
    assertThat(extensions.log)
        .containsSubsequence(
            "memory of 1048576 on [0]",
            "copier two",
            "backing tier over 1 chunks",
            "open store",
            "close store",
            "close two",
            "close memory");
  }

  @Test
  void backingTierThatDoesNotOpen_undoesEverything() {
    backingTier = "store";
    extensions.failAt = "store";
    assertThatThrownBy(this::start)
        .isInstanceOf(ManagerException.class)
        .hasMessage("backing tier [store] cannot be opened: planted");
    assertThat(extensions.log)
        .endsWith("close store", "close two", "close one", "close memory", "close plugins");
  }

  @Test
  void memoryThatIsRefused_undoesThePlugins() {
    assertUndone("memory", List.of("close plugins"));
  }

  @Test
  void copierThatIsRefused_undoesWhatWasThere() {
    assertUndone(
        "copier two",
        List.of(
            "memory of 1048576 on [0]",
            "copier one",
            "close one",
            "close memory",
            "close plugins"));
  }

  @Test
  void socketThatCannotBeOpened_undoesEverything() throws Exception {
    Path socket = folder.resolve("manager.sock");
    extensions.failAt = "";
    // The folder goes away after the claim: binding fails last of all.
    assertThatThrownBy(() ->
            Boot.start(
                settings(socket),
                ManagerEnvironment.system(),
                meters -> {
                  try {
                    Files.createDirectory(socket);
                  } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                  }
                  return extensions;
                }))
        .isInstanceOf(ManagerException.class)
        .hasMessageContaining("cannot be opened");
    assertThat(extensions.log).endsWith("close two", "close one", "close memory", "close plugins");
    Files.deleteIfExists(socket);
    start().close();
  }

  @Test
  void chunkThatACopierRefuses_leavesASmallerPool() throws Exception {
    extensions.failAt = "register two";
    try (Boot boot = start()) {
      assertThat(boot.statusJson())
          .contains("\"ready_percent\":0", "\"failed_chunks\":1", "\"refused_plugins\":[{");
    }
    assertThat(extensions.log).doesNotContain("activate 0");
  }

  @Test
  void poolThatIsStillTouched_doesNotHoldUpTheStart() throws Exception {
    extensions.touchAtOnce = false;
    try (Boot boot = start();
        RawClient client = RawClient.greet(boot.socket(), 0)) {
      assertThat(client).isNotNull();
      assertThat(boot.statusJson()).contains("\"ready_percent\":0");
    }
  }

  @Test
  void brokenInvariant_endsTheProcessAndLeavesMemoryAlone() throws Exception {
    Boot boot = start();
    extensions.broken = true;

    // The next tick looks at the memory's books.
    assertThat(exits.take()).isEqualTo(70);
    assertThatThrownBy(boot::statusJson)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("has ended");
    boot.close();

    assertThat(boot.endedClean()).isFalse();
    assertThat(extensions.log)
        .doesNotContain("close one", "close two", "close memory", "close plugins");
    SocketClaim.of(boot.socket()).close();
  }

  @Test
  void metricsOverHttp_comeAndGoWithTheManager() throws Exception {
    metrics = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    InetSocketAddress address;
    try (Boot boot = start()) {
      address = boot.metricsAddress();
      assertThat(address).isNotNull();
      URI uri = URI.create("http://127.0.0.1:" + address.getPort() + "/metrics");
      try (InputStream text = uri.toURL().openStream()) {
        assertThat(new String(text.readAllBytes(), StandardCharsets.UTF_8))
            .contains("\norbitkv_queries_total 0\n", "\norbitkv_sessions_opened_total 0\n");
      }
      assertThat(boot.metrics(true)).startsWith("{\"metrics\":[");
    }
    try (ServerSocket again = new ServerSocket(address.getPort(), 1, address.getAddress())) {
      metrics = address;
      assertThat(again.isBound()).isTrue();
      assertThatThrownBy(this::start)
          .isInstanceOfSatisfying(
              ManagerException.class, refused -> assertThat(refused.exitStatus()).isEqualTo(1))
          .hasMessageContaining("metrics.prometheus: [127.0.0.1 port " + address.getPort() + "]");
    }
    assertThat(folder.resolve("manager.sock")).doesNotExist();
  }

  private void assertUndone(String failAt, List<String> log) {
    extensions.failAt = failAt;
    assertThatThrownBy(this::start)
        .isInstanceOf(ManagerException.class)
        .hasMessage("planted at " + failAt);
    assertThat(extensions.log).containsExactlyElementsOf(log);
    assertThat(folder.resolve("manager.sock")).doesNotExist();
  }

  private Boot start() throws ManagerException {
    ManagerEnvironment system = ManagerEnvironment.system();
    return Boot.start(
        settings(folder.resolve("manager.sock")),
        new ManagerEnvironment(
            system.nanoClock(),
            system.random(),
            system.numa(),
            exits::add,
            Duration.ofSeconds(5),
            Duration.ofSeconds(1),
            Duration.ofSeconds(1),
            Duration.ofSeconds(20),
            Duration.ofMillis(1)),
        meters -> extensions);
  }

  private BootSettings settings(Path socket) {
    return new BootSettings(
        socket,
        false,
        metrics,
        "info",
        POOL_BYTES,
        "a test",
        1024,
        new BudgetLimits(POOL_BYTES / 2, POOL_BYTES / 4),
        "dram",
        List.of("one", "two"),
        4,
        16,
        16,
        1 << 20,
        List.of(),
        backingTier,
        ReadSettings.DEFAULT,
        backingTier.isEmpty() ? WriteSettings.NONE : WriteSettings.DEFAULT,
        List.of("query.read-batch 32mb"),
        JournalSettings.DEFAULT,
        0,
        cells);
  }
}
