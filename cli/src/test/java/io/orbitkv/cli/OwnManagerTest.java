package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.process.ManagerProcess;
import io.orbitkv.workload.process.ManagerStartException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnManagerTest {
  @TempDir static Path home;

  @BeforeAll
  static void install() throws IOException {
    TestHome.install(home);
  }

  @AfterAll
  static void uninstall() {
    TestHome.uninstall();
  }

  @Test
  void replay_moreThanThePoolHolds_restoresOnlyRightBytesAndLeavesNothingBehind() {
    Invocation replay =
        Invocation.of(
            "replay",
            "--generate",
            "--requests",
            "80",
            "--seed",
            "3",
            "--bytes-per-token",
            "256",
            "--pool-size",
            "16mb",
            "--hbm-size",
            "4mb",
            "--json");

    assertThat(replay.err()).isEmpty();
    assertThat(replay.status()).isZero();
    assertThat(number(replay, "requests")).isEqualTo(80);
    assertThat(number(replay, "restored_pages")).isPositive();
    assertThat(number(replay, "verified_pages")).isEqualTo(number(replay, "restored_pages"));
    assertThat(number(replay, "published_bytes"))
        .isEqualTo(number(replay, "published_pages") * 16384);
    assertThat(number(replay, "evicted_pages")).isPositive();
    assertThat(number(replay, "wrong_bytes")).isZero();
    assertThat(number(replay, "leaked_bytes")).isZero();
    assertThat(number(replay, "query_reserved_peak_bytes")).isPositive();
    assertThat(number(replay, "query_reserved_end_bytes")).isZero();
    assertThat(
            number(replay, "hbm_hit_pages")
                + number(replay, "restored_pages")
                + number(replay, "computed_pages"))
        .isEqualTo(number(replay, "prompt_pages"));
    assertThat(
            number(replay, "published_pages")
                + number(replay, "resident_pages")
                + number(replay, "dropped_pages"))
        .isEqualTo(number(replay, "computed_pages"));
    assertThat(replay.out()).contains("\"partial\" : false");
  }

  @Test
  void replay_flagOfAnAbsentPlugin_isRefusedInTheManagersWords() {
    Invocation replay =
        Invocation.of("replay", "--generate", "--ssd-cache-path", home.resolve("ssd").toString());

    assertThat(replay.err())
        .startsWith("orbitkv: ")
        .contains("--ssd-cache-path")
        .contains("ssd-iouring");
    assertThat(replay.status()).isEqualTo(2);
    assertThat(replay.out()).isEmpty();
  }

  @Test
  void administration_ofARunningManager_answers()
      throws IOException, InterruptedException, ManagerStartException {
    Path folder;
    try (ManagerProcess manager = ManagerProcess.start(List.of("--pool-size", "16mb"))) {
      String socket = manager.socket().toString();
      folder = manager.socket().getParent();

      Invocation replay =
          Invocation.of(
              "replay",
              "--generate",
              "--requests",
              "10",
              "--bytes-per-token",
              "64",
              "--connect",
              socket);
      assertThat(replay.err()).isEmpty();
      assertThat(replay.out()).contains("wrong bytes").contains("restored from the Manager");
      assertThat(replay.status()).isZero();
      assertThat(Invocation.of("status", "--socket", socket).out())
          .contains("pool", "16.00 MiB", "published");
      assertThat(Invocation.of("status", "--socket", socket, "--json").out())
          .contains("\"reserved_bytes\"");
      assertThat(Invocation.of("metrics", "--socket", socket).out())
          .contains("# TYPE orbitkv_queries_total counter\n", "\norbitkv_queries_total ");
      assertThat(Invocation.of("metrics", "--socket", socket, "--json").out())
          .startsWith("{\"metrics\":[")
          .contains("\"name\":\"orbitkv_completion_delivery_ms\"", "\"p95\":");
      assertThat(Invocation.of("metrics", "--socket", socket, "--names").out())
          .containsPattern("(?m)^orbitkv_queries_total +counter +Queries accepted$")
          .doesNotContain("#");
      assertThat(Invocation.of("metrics", "--socket", socket, "--names", "--json").out())
          .contains("\"orbitkv_queries_total\"", "\"counter\"");
      assertPoliciesAnswer(socket);
      assertThat(Invocation.of("sync", "--socket", socket).out()).contains("every published page");
      assertThat(Invocation.of("evict", "--socket", socket).out()).startsWith("evicted ");
      assertThat(number(Invocation.of("evict", "--socket", socket, "--json"), "evicted_bytes"))
          .isZero();

      assertThat(manager.stop()).isZero();
    }
    assertThat(folder).doesNotExist();
  }

  private static void assertPoliciesAnswer(String socket) {
    assertThat(Invocation.of("policy", "list", "--socket", socket).out())
        .startsWith("lookahead: default, built-in\n")
        .endsWith("no plugin offers a policy\n");
    assertThat(Invocation.of("policy", "list", "--json", "--socket", socket).out())
        .contains("\"slot\":\"retention.ssd\"");
    Invocation unknown =
        Invocation.of(
            "policy", "swap", "admission.ssd", "absent", "--settings", "a=1", "--socket", socket);
    assertThat(unknown.err()).contains("policies.admission.ssd: no plugin offers the policy");
    assertThat(unknown.status()).isEqualTo(1);
    assertThat(Invocation.of("policy", "swap", "retention.dram", "none", "--socket", socket).out())
        .isEqualTo("retention.dram: none, built-in\n");
    assertThat(Invocation.of("policy", "revert", "retention.dram", "--socket", socket).out())
        .isEqualTo("retention.dram: default, built-in\n");
    assertThat(Invocation.of("policy", "explain", "--last", "1", "--socket", socket).out())
        .contains("epoch 2 begins: revert", "0 decisions so far");
    assertThat(Invocation.of("policy", "explain", "--page", "xyz", "--socket", socket).err())
        .contains("page [xyz] must be 32 hexadecimal digits");
    assertThat(Invocation.of("config", "reload", "--socket", socket).err())
        .contains("the Manager was started without a file");
  }

  @Test
  void configShow_worksWithTheHeapThatServeHas() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(TestHome.command(home, "config", "show"));
    command.add(1, "-Xmx300m");
    Path out = home.resolve("show.txt");
    ProcessBuilder show = new ProcessBuilder(command).redirectOutput(out.toFile());
    show.environment().remove("ORBITKV_HEAP");

    assertThat(show.start().waitFor()).isZero();
    assertThat(out).content().contains("of a heap of 512mb");
  }

  @Test
  void replay_whoseManagerIsKilled_saysThatTheConnectionWasLost()
      throws IOException, InterruptedException, ManagerStartException {
    try (ManagerProcess manager = ManagerProcess.start(List.of("--pool-size", "16mb"))) {
      Thread killer =
          Thread.ofPlatform()
              .start(() -> {
                while (!replaying(manager) && !Thread.currentThread().isInterrupted()) {
                  LockSupport.parkNanos(1_000_000);
                }
                ProcessHandle.of(manager.pid()).orElseThrow().destroyForcibly();
              });
      Invocation replay =
          Invocation.of(
              "replay",
              "--generate",
              "--requests",
              "100000",
              "--bytes-per-token",
              "64",
              "--connect",
              manager.socket().toString());
      killer.interrupt();
      killer.join();

      assertThat(replay.status()).isEqualTo(1);
      assertThat(replay.err())
          .startsWith("orbitkv: the connection to the Manager at [" + manager.socket() + "]")
          .contains("was lost in the middle of the run")
          .doesNotContain("internal");
    }
  }

  private static boolean replaying(ManagerProcess manager) {
    Invocation status = Invocation.of("status", "--json", "--socket", manager.socket().toString());
    return Pattern.compile("\"published_bytes\" ?: ?[1-9]").matcher(status.out()).find();
  }

  @Test
  void pluginsList_everyPluginRefused_isStatusOne() throws IOException {
    Path plugins = Files.createDirectory(home.resolve("broken"));
    Files.writeString(plugins.resolve("bad.zip"), "this is no zip");
    Path config = home.resolve("broken.yaml");
    Files.writeString(
        config,
        "plugins: {directory: " + plugins + ", work-directory: " + home.resolve("work") + "}\n");

    Invocation list = Invocation.of("plugins", "list", "--config", config.toString());

    assertThat(list.out()).contains("bad.zip", "REFUSED");
    assertThat(list.status()).isEqualTo(1);
  }

  @Test
  void configCheck_metricsForEverybody_warns() throws IOException {
    Path config = home.resolve("wide.yaml");
    Files.writeString(config, "metrics: {prometheus: 9464, address: 0.0.0.0}\n");

    Invocation check = Invocation.of("config", "check", config.toString());
    Invocation json = Invocation.of("config", "check", config.toString(), "--json");

    assertThat(check.status()).isZero();
    assertThat(check.err()).startsWith("orbitkv: warning: metrics are served on [0.0.0.0]");
    assertThat(json.out()).contains("\"warnings\" : [ \"metrics are served on [0.0.0.0]");
  }

  @Test
  void configCheck_policiesOfBothKinds_tellsBoth() throws IOException {
    Path config = home.resolve("policies.yaml");
    Files.writeString(config, "policies: {weird: none, lookahead: foo}\n");

    Invocation check = Invocation.of("config", "check", config.toString());

    assertThat(check.status()).isEqualTo(2);
    assertThat(check.err()).contains("policies.weird: [weird] is not a slot", "the policy [foo]");
  }

  @Test
  void start_optionThatServeDoesNotHave_saysWhyAndLeavesNothing() {
    Assertions.assertThatThrownBy(() -> ManagerProcess.start(List.of("--no-such-option")))
        .isInstanceOfSatisfying(
            ManagerStartException.class,
            problem -> {
              assertThat(problem.exitStatus()).isEqualTo(2);
              assertThat(problem).hasMessageContaining("unknown option [--no-such-option]");
            });
  }

  @Test
  @Tag("full")
  void demo_ends_withATableAndAllWell() {
    Invocation demo = Invocation.of("demo");

    assertThat(demo.err()).isEmpty();
    assertThat(demo.status()).isZero();
    assertThat(demo.out()).contains("wrong bytes", "leaked bytes", "Every restored byte was right");
  }

  @Test
  @Tag("full")
  void benchWire_fewRounds_reportsEveryFigure() {
    Invocation bench =
        Invocation.of("bench", "wire", "--rounds", "200", "--warm-up", "200", "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    for (String figure :
        List.of(
            "p50_us",
            "p99_us",
            "echo_p50_us",
            "echo_p99_us",
            "poll_p50_us",
            "p50_socket_us",
            "ratio")) {
      assertThat(bench.out()).contains("\"" + figure + "\" : ");
    }
  }

  @Test
  @Tag("full")
  void benchDelivery_fewQueries_reportsTheManagersFigure() {
    Invocation bench =
        Invocation.of("bench", "delivery", "--queries", "500", "--runs", "1", "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    assertThat(bench.out()).contains("\"completion_delivery_ms\" : ", "\"p95\" : ");
  }

  @Test
  @Tag("full")
  void replay_interrupted_printsWhatItHasAndStopsItsManager()
      throws IOException, InterruptedException {
    Path out = home.resolve("interrupted.json");
    Process replay =
        orbitkv(
            out,
            "replay",
            "--generate",
            "--requests",
            "100000",
            "--json",
            "--pool-size",
            "16mb",
            "--bytes-per-token",
            "64");
    ProcessHandle manager = awaitChild(replay);

    signal("INT", replay);

    assertThat(replay.waitFor()).isEqualTo(128 + 2);
    assertThat(Files.readString(out))
        .contains("\"partial\" : true")
        .contains("\"wrong_bytes\" : 0");
    manager.onExit().join();
  }

  @Test
  @Tag("full")
  void replay_killed_takesItsManagerAlong() throws IOException, InterruptedException {
    Process replay =
        orbitkv(
            home.resolve("killed.json"),
            "replay",
            "--generate",
            "--requests",
            "100000",
            "--json",
            "--pool-size",
            "16mb",
            "--bytes-per-token",
            "64");
    ProcessHandle manager = awaitChild(replay);

    signal("KILL", replay);
    replay.waitFor();

    manager.onExit().join();
  }

  private static Process orbitkv(Path out, String... arguments) throws IOException {
    return new ProcessBuilder(TestHome.command(home, arguments))
        .redirectOutput(out.toFile())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Waits until the command has started its Manager and a little of the replay may have run. */
  private static ProcessHandle awaitChild(Process process) throws InterruptedException {
    while (process.isAlive()) {
      List<ProcessHandle> children = process.children().toList();
      if (!children.isEmpty()
          && process.info().totalCpuDuration().orElseThrow().toMillis() > 1500) {
        return children.getFirst();
      }
      LockSupport.parkNanos(10_000_000);
    }
    throw new AssertionError("the command ended before it was told to");
  }

  private static void signal(String name, Process process)
      throws IOException, InterruptedException {
    assertThat(
            new ProcessBuilder("/bin/sh", "-c", "kill -" + name + " " + process.pid())
                .start()
                .waitFor())
        .isZero();
  }

  private static long number(Invocation invocation, String field) {
    Matcher matcher = Pattern.compile("\"" + field + "\" : (\\d+)").matcher(invocation.out());
    assertThat(matcher.find()).as("field %s in %s", field, invocation.out()).isTrue();
    return Long.parseLong(matcher.group(1));
  }
}
