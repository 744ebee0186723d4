package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.config.DefaultPolicies;
import io.orbitkv.workload.policy.PolicyRole;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The defaults are what measurement favours. */
class DefaultPoliciesTest {
  @TempDir Path home;

  @BeforeEach
  void install() throws IOException {
    List<String> folders = new ArrayList<>(List.of("dram-tier", "host-copy"));
    folders.addAll(TestHome.policies());
    TestHome.install(home, folders);
    TestHome.bundle(home, "w-tinylfu", "caffeine");
  }

  @AfterEach
  void uninstall() {
    TestHome.uninstall();
  }

  @Test
  void defaults_areThoseThatTheBenchmarksName() {
    for (PolicyRole role : PolicyRole.values()) {
      assertThat(DefaultPolicies.of(role.slot())).contains(role.byDefault());
    }
    assertThat(DefaultPolicies.of(PolicySlot.LOOKAHEAD)).isEmpty();
    assertThat(DefaultPolicies.of(PolicySlot.WARMING)).isEmpty();
  }

  @Test
  void doctor_withoutTheDefaultsPlugins_saysThatWhatIsBuiltInServes() throws IOException {
    assertThat(Invocation.of("doctor").out()).doesNotContain("no plugin offers the default");

    Files.move(home.resolve("plugins").resolve("return-density"), home.resolve("aside"));

    assertThat(Invocation.of("doctor").out())
        .contains(
            "no plugin offers the default of [retention.dram: return-density, retention.ssd:"
                + " return-density]");
  }

  @Test
  void reuse_withMeasuredSpeeds_hasTheMeasuredOrderAndDefaultsThatAreNeverWorseThanNoCache() {
    Invocation bench = Invocation.of("bench", "model", "--seeds", "2", "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    assertThat(bench.out())
        .contains("\"order_as_measured\" : true", "\"default_never_worse\" : true");
  }

  @Test
  void restoreOrRecompute_overSpeedsAndLoads_isNearTheBetterOfBoth() throws IOException {
    Path trace = home.resolve("trace.jsonl");
    Invocation generated =
        Invocation.of(
            "trace", "generate", "--requests", "1500", "--seed", "5", "--out", trace.toString());
    assertThat(generated.status()).as(generated.err()).isZero();

    Invocation bench =
        Invocation.of(
            "bench",
            "policy",
            "--trace",
            trace.toString(),
            "--role",
            "cutoff",
            "--policies",
            "restore-or-recompute",
            "--capacity",
            "8gb",
            "--ssd",
            "1tb",
            "--json");

    assertThat(bench.err()).isEmpty();
    assertThat(bench.status()).isZero();
    Matcher cells =
        Pattern.compile("\"load\" : ([0-9.]+)|\"concurrency\" : |\"regret\" : ([0-9.]+)")
            .matcher(bench.out());
    double load = 0;
    int met = 0;
    while (cells.find()) {
      if (cells.group(2) == null) {
        load = cells.group(1) == null ? 0 : Double.parseDouble(cells.group(1));
      } else {
        assertThat(Double.parseDouble(cells.group(2)))
            .as("load %s", load)
            .isLessThanOrEqualTo(1.05);
        met++;
      }
    }
    assertThat(met).isEqualTo(210);
    assertThat(Files.size(trace)).isPositive();
  }
}
