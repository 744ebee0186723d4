package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each policy is a plugin of its own, and none is needed. */
class ShippedPoliciesTest {
  @TempDir Path home;
  private final List<String> policies = new ArrayList<>();

  @BeforeEach
  void install() throws IOException {
    List<String> folders = new ArrayList<>(List.of("dram-tier", "host-copy"));
    folders.addAll(TestHome.policies());
    TestHome.install(home, folders);
    TestHome.bundle(home, "w-tinylfu", "caffeine");
    for (String folder : TestHome.policies()) {
      policies.add(Path.of(folder).getFileName().toString());
    }
  }

  @AfterEach
  void uninstall() {
    TestHome.uninstall();
  }

  @Test
  void pluginsList_ofAnInstallation_showsEachPolicyAsItsOwnPlugin() {
    Invocation list = Invocation.of("plugins", "list");

    assertThat(list.status()).isZero();
    assertThat(list.out()).doesNotContain("REFUSED");
    for (String policy : policies) {
      assertThat(list.out().lines().filter(line -> line.startsWith(policy + " ")))
          .as("lines of [%s]", policy)
          .singleElement()
          .asString()
          .contains("policy " + policy + " (");
    }
  }

  @Test
  void pluginsList_withoutAnyOnePolicy_showsTheOthers() throws IOException {
    for (String policy : policies) {
      Path folder = home.resolve("plugins").resolve(policy);
      Path aside = Files.move(folder, home.resolve(policy));

      Invocation list = Invocation.of("plugins", "list");

      assertThat(list.status()).as("status without [%s]", policy).isZero();
      assertThat(list.out()).doesNotContain("REFUSED", "policy " + policy + " (");
      assertThat(list.out().lines().filter(line -> line.contains(" policy ")))
          .hasSize(policies.size() - 1);
      Files.move(aside, folder);
    }
  }

  @Test
  void demo_withoutPolicies_restoresTheSame() throws IOException {
    assertThat(Invocation.of("demo").status()).isZero();
    for (String policy : policies) {
      Files.move(home.resolve("plugins").resolve(policy), home.resolve(policy));
    }

    Invocation demo = Invocation.of("demo");

    assertThat(demo.err()).isEmpty();
    assertThat(demo.status()).isZero();
  }
}
