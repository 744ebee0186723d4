package io.orbitkv.manager;

import static io.orbitkv.manager.fixture.PolicyHome.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.PolicyHome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A policy that fails in every slot costs its advice and nothing else. */
@Timeout(120)
class PolicyFaultsTest {
  private static final Set<String> RETENTION =
      Set.of(PolicySlot.RETENTION_DRAM.key(), PolicySlot.RETENTION_SSD.key());

  /** Slots whose questions hold up a publish or a read. */
  private static final Set<String> SHORT =
      Set.of(PolicySlot.ADMISSION_DRAM.key(), PolicySlot.CUTOFF.key());

  private static final int ROUNDS = 200;

  @TempDir Path home;

  @ParameterizedTest
  @ValueSource(strings = {"throw", "hang", "nonsense", "late", "unmade"})
  void policyThatFailsInEverySlot_hitsAreServedAndFaultsCounted(String mode) throws Exception {
    PolicyHome.install(
        home,
        // An instance for each slot, so that each has its own fault.
        PolicyHome.everywhere(slot ->
            "{fault-policy: {mode: "
                + mode
                + ", delay: 30ms, reason: "
                + slot.name().toLowerCase(Locale.ROOT).replace('_', '-')
                + "}}"));
    AtomicInteger rounds = new AtomicInteger();
    try (ManagerUnderTest under = new ManagerUnderTest(home, "--pool-size", PolicyLoad.POOL);
        Engine administrator = new Engine(under.socket())) {
      boolean made = !mode.equals("unmade");
      PolicyLoad load =
          new PolicyLoad(under.socket(), 7)
              .run(() ->
                  rounds.getAndIncrement() < ROUNDS
                      || (made && !everySlotIsReached(administrator)));
      assertThat(load.rounds()).isGreaterThanOrEqualTo(ROUNDS);
      assertThat(load.hits()).isPositive();

      JsonNode list = answered(administrator);
      assertThat(list.path("slots")).hasSize(PolicySlot.values().length);
      assertFaultsAreCounted(list, mode);
      assertThat(under.manager.statusJson()).contains("\"policy\":\"fault-policy\"");
      under.manager.verify();
      assertThat(under.fatal).isEmpty();
    }
  }

  /** Whether each policy was asked or told something. */
  private static boolean everySlotIsReached(Engine administrator) {
    try {
      for (JsonNode slot : ask(administrator, "{\"do\": \"list\"}").path("slots")) {
        if (slot.path("asked").asLong(0) + slot.path("facts").asLong(0) == 0) {
          return false;
        }
      }
      return true;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** The slots once every question has its answer, be it the default. */
  private static JsonNode answered(Engine administrator) throws IOException {
    while (true) {
      JsonNode list = ask(administrator, "{\"do\": \"list\"}");
      long open = 0;
      for (JsonNode slot : list.path("slots")) {
        open += slot.path("open").asLong(0);
      }
      if (open == 0) {
        return list;
      }
    }
  }

  private static void assertFaultsAreCounted(JsonNode list, String mode) {
    for (JsonNode each : list.path("slots")) {
      String slot = each.path("slot").asString("");
      long asked = each.path("asked").asLong(0);
      long failed = each.path("failed").asLong(0);
      long late = each.path("late").asLong(0);
      boolean serves = each.path("serves").asBoolean(true);
      if (mode.equals("unmade")) {
        assertThat(serves).as("%s", each).isFalse();
        continue;
      }
      assertThat(asked + each.path("facts").asLong(0)).as("%s", each).isPositive();
      boolean counted =
          switch (mode) {
            case "throw" -> failed + late > 0;
            // Any number is a score.
            case "nonsense" -> failed + late > 0 || RETENTION.contains(slot);
            // The others may take longer than the policy does.
            case "late" -> late > 0 || !SHORT.contains(slot);
            default -> late > 0 || !serves;
          };
      assertThat(asked == 0 || counted).as("%s", each).isTrue();
    }
  }
}
