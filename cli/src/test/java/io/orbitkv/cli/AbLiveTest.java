package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.Manager;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.environment.ManagerEnvironment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Experiments on the traffic of a Manager, whose turns pass when the test says so. */
@Timeout(300)
class AbLiveTest {
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final Duration TURN = Duration.ofMinutes(1);

  @TempDir Path home;
  private final LinkedBlockingQueue<Integer> fatal = new LinkedBlockingQueue<>();
  private final AtomicLong passedNanos = new AtomicLong();
  private Path config = Path.of("");
  private String socket = "";

  @BeforeEach
  void install() throws IOException {
    TestHome.install(
        home,
        List.of(
            "dram-tier",
            "host-copy",
            "policies/write-all",
            "policies/write-on-reuse",
            "policies/stopping-cutoffs"));
    socket = home.resolve("run/manager.sock").toString();
    config =
        Files.writeString(
            home.resolve("orbitkv.yaml"),
            """
            socket: %s
            memory: {pool-size: 64mb}
            policies:
              admission: {dram: write-all}
            ab:
              name: reuse
              variants:
                A: {}
                B: {admission: {dram: write-on-reuse}}
              assign: {isolation: time, slot: 1m}
              primary: {measure: prefix_hit_ratio, margin: 2%%}
              guards: {wait.mean: +50%%}
              live: {for: 24m, aa: 24m, short-blocks: true, fallbacks: 100%%}
            """
                .formatted(socket));
  }

  @AfterEach
  void uninstall() {
    TestHome.uninstall();
  }

  @Test
  void turnsOfTwoPolicies_withARestartInTheMiddle_areJudgedAtTheHorizonAndTheConfigurationIsBack()
      throws Exception {
    int total;
    try (Manager manager = start()) {
      assertThat(command("ab", "report").err()).contains("has run no experiment");
      String started = out("ab", "start", "--json");
      total = Integer.parseInt(value(started, "blocks_total"));
      assertThat(value(started, "state")).isEqualTo("running");
      assertThat(total).isEqualTo(24 + 24);
      for (int block = 0; block < total / 2; block++) {
        turn(block);
      }
      assertThat(out("ab", "status")).contains("reuse", "running", "turn of");
      assertThat(value(out("ab", "report", "--json"), "verdict")).isEqualTo("none");
      refusedWhileItRuns();
      manager.verify();
      assertThat(fatal).isEmpty();
    }

    try (Manager manager = start()) {
      String resumed = out("ab", "status", "--json");
      assertThat(value(resumed, "blocks_over")).isEqualTo(Integer.toString(total / 2));
      assertThat(value(resumed, "restarts")).isEqualTo("1");
      for (int block = total / 2; block < total; block++) {
        turn(block);
      }
      assertThat(value(out("ab", "status", "--json"), "state")).isEqualTo("done");
      String report = out("ab", "report", "--json");
      assertThat(value(report, "verdict")).as(report).isEqualTo("A");
      assertThat(command("ab", "report", "--require", "B").status()).isEqualTo(1);
      assertThat(report).contains("prefix_hit_ratio", "A/A", "shorter than 5m");
      String policies = out("policy", "list", "--json");
      assertThat(policies).contains("\"policy\":\"write-all\"").contains("\"variant\":\"none\"");
      assertThat(command("ab", "stop").err()).contains("no experiment runs");
      assertThat(command("policy", "swap", "admission.dram", "none").status()).isZero();
      manager.verify();
      assertThat(fatal).isEmpty();
    }
  }

  private void refusedWhileItRuns() {
    for (List<String> refused :
        List.of(
            List.of("policy", "swap", "admission.dram", "none"),
            List.of("policy", "revert", "admission.dram"),
            List.of("config", "reload"),
            List.of("ab", "start"))) {
      assertThat(command(refused.toArray(String[]::new)).err())
          .contains("the experiment [reuse] runs", "orbitkv ab stop");
    }
  }

  @Test
  void variantsAtOnce_byInstance_areMeasuredApartAndStopBringsTheConfigurationBack()
      throws Exception {
    Path other =
        Files.writeString(
            home.resolve("cutoffs.yaml"),
            """
            ab:
              name: cutoffs
              variants:
                A: {}
                B: {cutoff: {stopping-cutoffs: {read-timeout: 1s}}}
              assign: {by: instance, isolation: shared}
            """);
    try (Manager manager = start()) {
      String started =
          out("ab", "start", "--config", other.toString(), "--for", "1h", "--aa", "10m", "--json");
      assertThat(started).contains("interference possible");
      assertThat(out("policy", "list", "--json"))
          .contains("\"variant\":\"A\"")
          .contains("\"slot\":\"cutoff\"");

      String stopped = out("ab", "stop", "--json");

      assertThat(value(stopped, "state")).isEqualTo("stopped");
      assertThat(out("policy", "list", "--json")).doesNotContain("\"variant\":\"B\"");
      assertThat(out("ab", "report")).contains("none: it ended before its horizon");
      manager.verify();
    }
  }

  @Test
  void start_ofWhatWouldMislead_isRefusedWithTheReason() throws Exception {
    try (Manager manager = start()) {
      assertThat(command("ab", "start", "--isolation", "shared").err())
          .contains("[shared] misleads where variants differ in admission.dram");
      assertThat(command("ab", "start", "--isolation", "partition").err())
          .contains("[partition] on live traffic is by instance", "restart the Manager");
      assertThat(command("ab", "start", "--primary", "ttft.mean").err())
          .contains("[ttft.mean] is nothing that a Manager sees", "wait.mean");
      assertThat(command("ab", "start", "--for", "5m").err())
          .contains("an interval needs [10]: make it [20m] or more");
      assertThat(command("policy", "swap", "admission.dram", "none").status()).isZero();
      assertThat(command("ab", "start").err())
          .contains("[admission.dram] runs [default]", "orbitkv policy revert admission.dram");
      manager.verify();
    }
  }

  @Test
  void stateThatCannotBeRead_neverKeepsAManagerFromItsStart() throws Exception {
    Files.createDirectories(home.resolve("run"));
    Path state = home.resolve("run/manager.sock.experiment.json");
    Files.writeString(state, "{\"version\": 1, \"name\": ");

    try (Manager manager = start()) {
      assertThat(out("ab", "status")).contains("is interrupted", "manager.sock.experiment.json");
      assertThat(out("ab", "start", "--json")).contains("\"state\":\"running\"");
      manager.verify();
    }
  }

  private Manager start() throws Exception {
    HostFacts here = HostFacts.detect();
    ManagerConfig read =
        ManagerConfig.load(
            config,
            Map.of(),
            new HostFacts(Map.of(), here.uid(), here.memoryLimitBytes(), here.heapBytes(), home));
    ManagerEnvironment system = ManagerEnvironment.system();
    return Manager.start(
        read,
        new ManagerEnvironment(
            () -> System.nanoTime() + passedNanos.get(),
            system.random(),
            system.numa(),
            fatal::add,
            system.helloTimeout(),
            system.lingerTimeout(),
            Duration.ofSeconds(1),
            Duration.ofSeconds(20),
            system.firstChunkTimeout()));
  }

  /**
   * Traffic of one turn, of which the next one finds nothing, and the turn's end. Each turn has
   * conversations of its own: of those that came before the kernel knows that they return.
   */
  private void turn(int block) {
    assertThat(command("evict").status()).isZero();
    Invocation replay =
        command(
            "replay",
            "--generate",
            "--requests",
            "120",
            "--seed",
            Integer.toString(1 + block),
            "--bytes-per-token",
            "256",
            "--hbm-size",
            "4mb",
            "--concurrency",
            "4",
            "--closed-loop",
            "--json",
            "--connect",
            socket);
    assertThat(replay.err()).isEmpty();
    assertThat(replay.status()).isZero();
    assertThat(value(replay.out(), "wrong_bytes")).isEqualTo("0");
    passedNanos.addAndGet(TURN.toNanos());
    long start = System.nanoTime();
    String over = Integer.toString(block + 1);
    while (!value(out("ab", "status", "--json"), "blocks_over").equals(over)) {
      assertThat(System.nanoTime() - start)
          .as("the end of turn %s", over)
          .isLessThan(PATIENCE_NANOS);
      LockSupport.parkNanos(1_000_000);
    }
  }

  private Invocation command(String... arguments) {
    boolean connects = arguments[0].equals("replay");
    String[] all = new String[arguments.length + (connects ? 0 : 2)];
    System.arraycopy(arguments, 0, all, 0, arguments.length);
    if (!connects) {
      all[arguments.length] = "--socket";
      all[arguments.length + 1] = socket;
    }
    return Invocation.of(all);
  }

  private String out(String... arguments) {
    Invocation invocation = command(arguments);
    assertThat(invocation.err()).isEmpty();
    assertThat(invocation.status()).isZero();
    return invocation.out();
  }

  private static String value(String json, String field) {
    Matcher found = Pattern.compile("\"" + field + "\" ?: ?\"?([^\",}\\s]*)").matcher(json);
    assertThat(found.find()).as("[%s] in %s", field, json).isTrue();
    return found.group(1);
  }
}
