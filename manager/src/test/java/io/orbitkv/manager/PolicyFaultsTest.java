package io.orbitkv.manager;

import static io.orbitkv.manager.fixture.PolicyHome.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.PolicyHome;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A policy that fails in every slot costs its advice and nothing else. */
@Timeout(120)
class PolicyFaultsTest {
  /** Whether this build's kernel asks policies at all. */
  private static final boolean KERNEL_ASKS_POLICIES = false;

  private static final int ROUNDS = 60;

  @TempDir Path home;

  @ParameterizedTest
  @ValueSource(strings = {"throw", "hang", "nonsense", "late", "unmade"})
  void policyThatFailsInEverySlot_hitsAreServedAndFaultsCounted(String mode) throws Exception {
    PolicyHome.install(
        home, PolicyHome.everywhere("{fault-policy: {mode: " + mode + ", delay: 30ms}}"));
    AtomicInteger rounds = new AtomicInteger();
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      PolicyLoad load =
          new PolicyLoad(under.socket(), 7).run(() -> rounds.getAndIncrement() < ROUNDS);
      assertThat(load.rounds()).isEqualTo(ROUNDS);
      assertThat(load.hits()).isPositive();

      JsonNode list = ask(administrator, "{\"do\": \"list\"}");
      assertThat(list.path("slots")).hasSize(PolicySlot.values().length);
      if (KERNEL_ASKS_POLICIES) {
        assertFaultsAreCounted(list, mode);
      }
      assertThat(under.manager.statusJson()).contains("\"policy\":\"fault-policy\"");
      under.manager.verify();
      assertThat(under.fatal).isEmpty();
    }
  }

  private static void assertFaultsAreCounted(JsonNode list, String mode) {
    long failed = 0;
    long late = 0;
    long serving = 0;
    for (JsonNode slot : list.path("slots")) {
      failed += slot.path("failed").asLong(0);
      late += slot.path("late").asLong(0);
      serving += slot.path("serves").asBoolean(false) ? 1 : 0;
    }
    switch (mode) {
      case "throw", "nonsense" -> assertThat(failed).isPositive();
      case "late" -> assertThat(late).isPositive();
      case "hang" -> assertThat(late).isPositive();
      default -> assertThat(serving).isZero();
    }
  }
}
