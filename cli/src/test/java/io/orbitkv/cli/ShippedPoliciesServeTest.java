package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.workload.process.ManagerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every policy of this build serves in a Manager with an SSD tier, under load. */
@Timeout(180)
class ShippedPoliciesServeTest {
  private static final List<String> ADMISSION =
      List.of("write-all", "write-on-reuse", "write-adaptive");
  private static final List<String> RETENTION =
      List.of("lru", "segmented-lru", "w-tinylfu", "return-density");
  private static final List<String> OTHERS =
      List.of("arrival-lookahead", "unowned-warming", "restore-or-recompute", "stopping-cutoffs");

  /** The first questions to a policy load its classes, which may take longer than it has. */
  private static final int MOST_RUNS = 10;

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
    folder = Files.createTempDirectory(Files.createDirectories(target), "policies-");
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

  @Test
  void policies_areAllNamedHere() throws IOException {
    Set<String> named = new TreeSet<>(ADMISSION);
    named.addAll(RETENTION);
    named.addAll(OTHERS);

    assertThat(TestHome.policies())
        .allSatisfy(policy -> assertThat(named).contains(policy.substring(policy.indexOf('/') + 1)))
        .hasSameSizeAs(named);
  }

  static Stream<Integer> turns() {
    return Stream.iterate(0, turn -> turn + 1).limit(RETENTION.size());
  }

  @ParameterizedTest
  @MethodSource("turns")
  void policiesInTheirSlots_underLoad_costNoByteAndAreNeverStoodInFor(int turn) throws Exception {
    Path config = Files.writeString(home.resolve("orbitkv.yaml"), configuration(turn));

    try (ManagerProcess manager =
        ManagerProcess.start(List.of("--config", config.toString(), "--pool-size", "16mb"))) {
      String socket = manager.socket().toString();
      long stoodIn = standIns(socket);
      long before = -1;
      for (int run = 0; run < MOST_RUNS && stoodIn != before; run++) {
        before = stoodIn;
        assertReplayIsRight(socket, run);
        stoodIn = standIns(socket);
      }
      assertThat(stoodIn)
          .as("answers that a default had to give, of the last run")
          .isEqualTo(before);
      assertThat(manager.stop()).isZero();
    }
  }

  private String configuration(int turn) {
    return """
    ssd: {paths: [%s], capacity: 256mb}
    policies:
      lookahead: arrival-lookahead
      warming: unowned-warming
      cutoff: [restore-or-recompute, {stopping-cutoffs: {read-batch: 64kb, read-timeout: 1m}}]
      admission: {dram: %s, ssd: %s, promote: %s}
      retention: {dram: %s, ssd: %s}
    """
        .formatted(
            folder.resolve("store"),
            ADMISSION.get(turn % ADMISSION.size()),
            ADMISSION.get((turn + 1) % ADMISSION.size()),
            ADMISSION.get((turn + 2) % ADMISSION.size()),
            RETENTION.get(turn),
            RETENTION.get((turn + 1) % RETENTION.size()));
  }

  private static void assertReplayIsRight(String socket, int seed) {
    Invocation replay =
        Invocation.of(
            "replay",
            "--generate",
            "--requests",
            "120",
            "--seed",
            Integer.toString(seed),
            "--bytes-per-token",
            "256",
            "--hbm-size",
            "4mb",
            "--concurrency",
            "4",
            "--report-queue",
            "--closed-loop",
            "--json",
            "--connect",
            socket);
    assertThat(replay.err()).isEmpty();
    assertThat(replay.status()).isZero();
    assertThat(number(replay, "requests")).isEqualTo(120);
    assertThat(number(replay, "verified_pages")).isEqualTo(number(replay, "restored_pages"));
    assertThat(number(replay, "wrong_bytes")).isZero();
    assertThat(number(replay, "leaked_bytes")).isZero();
    assertThat(number(replay, "query_reserved_end_bytes")).isZero();
  }

  /** Answers that a default had to give because the policy was late; none may have failed. */
  private static long standIns(String socket) {
    Invocation list = Invocation.of("policy", "list", "--json", "--socket", socket);
    assertThat(list.status()).isZero();
    // Two in the slot for cutoffs.
    int policies = PolicySlot.values().length + 1;
    String slots = list.out().substring(0, list.out().indexOf("\"shadows\""));
    assertThat(values(slots, "state")).hasSize(policies).containsOnly("running");
    assertThat(values(slots, "serves")).hasSize(policies).containsOnly("true");
    assertThat(values(slots, "failed")).hasSize(policies).containsOnly("0");
    return values(slots, "late").stream().mapToLong(Long::parseLong).sum();
  }

  private static long number(Invocation invocation, String field) {
    List<String> values = values(invocation.out(), field);
    assertThat(values).as("[%s] in %s", field, invocation.out()).hasSize(1);
    return Long.parseLong(values.getFirst());
  }

  private static List<String> values(String json, String field) {
    return Pattern.compile("\"" + field + "\" ?: ?\"?([^\",}\\s]*)")
        .matcher(json)
        .results()
        .map((MatchResult found) -> found.group(1))
        .toList();
  }
}
