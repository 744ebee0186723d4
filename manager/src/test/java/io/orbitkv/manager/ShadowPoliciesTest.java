package io.orbitkv.manager;

import static io.orbitkv.manager.fixture.PolicyHome.ask;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.PolicyHome;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Shadow policies beside a running Manager, whose requests they never concern. */
@Timeout(120)
class ShadowPoliciesTest {
  private static final String LIST = "{\"do\": \"list\"}";
  private static final int ROUNDS = 400;
  private static final int CHAINS = 48;
  private static final int PAGES = 8;
  private static final int DESTINATION = 32;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  @TempDir Path home;

  /** What became of the requests of a load. */
  private record Served(int hits, int misses) {}

  @Test
  void shadows_underLoad_findHitsAndTellTheRegret() throws Exception {
    PolicyHome.install(
        home,
        """
          retention: {dram: none}
          admission: {dram: none, ssd: none}
          shadow:
            sample: 100%
            memory: 64mb
            retention: {dram: [none, {fault-policy: {mode: nonsense}}]}
            admission: {ssd: [{fault-policy: {mode: work}}]}
        """);
    try (ManagerUnderTest under = new ManagerUnderTest(home, "--pool-size", "2mb");
        Engine administrator = new Engine(under.socket())) {
      begin(under.socket(), administrator);
      Served served = load(under.socket());
      JsonNode shadows = await(administrator, ShadowPoliciesTest::caughtUp);
      long sampled = shadows.path("lookups").path("sampled").asLong(0);
      assertThat(sampled).isGreaterThan(served.hits() + served.misses());

      assertThat(shadows.path("sample_ratio").asDouble(0)).isEqualTo(1);
      assertThat(shadows.path("slots")).hasSize(2);
      for (JsonNode slot : shadows.path("slots")) {
        assertThat(slot.path("miniatures").get(0).path("role").asString("")).isEqualTo("active");
        long active = slot.path("miniatures").get(0).path("hit_pages").asLong(0);
        long best = Long.MIN_VALUE;
        for (JsonNode mini : slot.path("miniatures")) {
          assertThat(mini.path("state").asString("")).isEqualTo("running");
          assertThat(mini.path("lookups").asLong(0)).isEqualTo(sampled);
          assertThat(mini.path("looked_up_pages").asLong(0)).isEqualTo(sampled * PAGES);
          assertThat(mini.path("hit_pages").asLong(0)).as("%s", mini).isPositive();
          if (mini.path("role").asString("").equals("shadow")) {
            best = Math.max(best, mini.path("hit_pages").asLong(0));
          }
        }
        assertThat(slot.path("regret").path("pages").asLong(-1)).isEqualTo(best - active);
      }
      JsonNode retention = slot(shadows, "retention.dram");
      // The same policy does the same: what serves is one of its own shadows here.
      assertThat(mini(retention, "none", "shadow").path("hit_pages"))
          .isEqualTo(mini(retention, "none", "active").path("hit_pages"));
      assertThat(retention.path("regret").path("pages").asLong(-1)).isNotNegative();

      String metrics = under.manager.metrics(false);
      assertThat(metrics)
          .contains("orbitkv_shadow_sampled_lookups_total " + sampled)
          .contains("role=\"active\"")
          .contains("orbitkv_shadow_regret_pages{");
      under.manager.verify();
      assertThat(under.fatal).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"throw", "hang", "unmade"})
  void shadowThatFails_requestsAreServedAsWithoutAndTheOthersGoOn(String mode) throws Exception {
    PolicyHome.install(
        home,
        """
          retention: {dram: none}
          admission: {dram: none, ssd: none}
          shadow:
            sample: 100%%
            memory: 64mb
            admission: {dram: [{fault-policy: {mode: %s}}]}
            retention: {dram: [none]}
        """
            .formatted(mode));
    try (ManagerUnderTest under = new ManagerUnderTest(home, "--pool-size", "2mb");
        Engine administrator = new Engine(under.socket())) {
      begin(under.socket(), administrator);
      Served served = load(under.socket());
      JsonNode shadows = await(administrator, ShadowPoliciesTest::caughtUp);
      long sampled = shadows.path("lookups").path("sampled").asLong(0);
      assertThat(sampled).isGreaterThan(served.hits() + served.misses());

      JsonNode failed = mini(slot(shadows, "admission.dram"), "fault-policy", "shadow");
      assertThat(failed.path("state").asString(""))
          .isEqualTo(mode.equals("hang") ? "abandoned" : "failed");
      assertThat(failed.path("trouble").asString("")).contains("fault-policy");
      assertThat(slot(shadows, "admission.dram").has("regret")).isFalse();
      JsonNode other = mini(slot(shadows, "retention.dram"), "none", "shadow");
      assertThat(other.path("state").asString("")).isEqualTo("running");
      assertThat(other.path("lookups").asLong(0)).isEqualTo(sampled);
      assertThat(slot(shadows, "retention.dram").path("regret").path("pages").asLong(-1)).isZero();
      under.manager.verify();
      assertThat(under.fatal).isEmpty();
    }
  }

  @Test
  void swapAndReload_otherMiniatures_beginAnew() throws Exception {
    String policies =
        """
          retention: {dram: none}
          shadow: {sample: 100%, memory: 64mb, retention: {dram: [none]}}
        """;
    PolicyHome.install(home, policies);
    try (ManagerUnderTest under = new ManagerUnderTest(home, "--pool-size", "2mb");
        Engine administrator = new Engine(under.socket());
        Engine engine = new Engine(under.socket(), "model")) {
      begin(under.socket(), administrator);
      JsonNode before = await(administrator, ShadowPoliciesTest::caughtUp);

      ask(
          administrator,
          """
          {"do": "swap", "slot": "retention.dram", "policy": "fault-policy"}\
          """);
      await(administrator, now -> state(now).equals("waiting"));
      boolean _ = request(engine, 1);
      JsonNode swapped = await(administrator, now -> state(now).equals("running"));
      assertThat(swapped.path("epoch").asLong(0)).isGreaterThan(before.path("epoch").asLong(0));
      assertThat(swapped.path("cause").asString("")).isEqualTo("swap");
      JsonNode active = mini(slot(swapped, "retention.dram"), "fault-policy", "active");
      assertThat(active.path("lookups").asLong(0)).isLessThanOrEqualTo(1);

      // Nothing that miniatures are made of is another: they go on.
      ask(administrator, "{\"do\": \"swap\", \"slot\": \"cutoff\", \"policy\": \"none\"}");
      boolean _ = request(engine, 1);
      await(
          administrator,
          now ->
              mini(slot(now, "retention.dram"), "fault-policy", "active").path("lookups").asLong(0)
                  == 2);

      PolicyHome.write(home, policies.replace("[none]}", "[none], ssd: [none]}"), "");
      ask(administrator, "{\"do\": \"reload\"}");
      await(administrator, now -> state(now).equals("waiting"));
      boolean _ = request(engine, 1);
      JsonNode reloaded = await(administrator, now -> state(now).equals("running"));
      assertThat(reloaded.path("slots")).hasSize(2);

      PolicyHome.write(home, "  retention: {dram: none}\n", "");
      ask(administrator, "{\"do\": \"reload\"}");
      boolean _ = request(engine, 1);
      assertThat(state(ask(administrator, LIST).path("shadows"))).isEqualTo("off");
    }
  }

  private static String state(JsonNode shadows) {
    return shadows.path("state").asString("");
  }

  private static boolean caughtUp(JsonNode shadows) {
    return shadows.path("lookups").path("waiting").asLong(1) == 0;
  }

  /** Asks until the backing tier has told its size: miniatures have a share of it. */
  private static void begin(Path socket, Engine administrator) throws IOException {
    try (Engine engine = new Engine(socket, "first")) {
      while (!state(ask(administrator, LIST).path("shadows")).equals("running")) {
        boolean _ = request(engine, 900_000);
      }
    }
  }

  private static JsonNode await(Engine administrator, Predicate<JsonNode> wanted)
      throws IOException {
    long start = System.nanoTime();
    while (true) {
      JsonNode shadows = ask(administrator, LIST).path("shadows");
      if (wanted.test(shadows)) {
        return shadows;
      }
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError("this did not change as it should: " + shadows);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static JsonNode slot(JsonNode shadows, String slot) {
    for (JsonNode each : shadows.path("slots")) {
      if (each.path("slot").asString("").equals(slot)) {
        return each;
      }
    }
    throw new AssertionError("no [" + slot + "] in " + shadows);
  }

  private static JsonNode mini(JsonNode slot, String policy, String role) {
    for (JsonNode each : slot.path("miniatures")) {
      if (each.path("policy").asString("").equals(policy)
          && each.path("role").asString("").equals(role)) {
        return each;
      }
    }
    throw new AssertionError("no [" + policy + "] in " + slot);
  }

  /** Every request has its answer, every byte that is restored is right. */
  private static Served load(Path socket) throws IOException {
    SplittableRandom random = new SplittableRandom(3);
    int hits = 0;
    int misses = 0;
    try (Engine engine = new Engine(socket, "model")) {
      for (int round = 0; round < ROUNDS; round++) {
        // Some come back much more often than others.
        int chain = random.nextInt(1 + random.nextInt(CHAINS));
        if (request(engine, 1 + 1000 * chain)) {
          hits++;
        } else {
          misses++;
        }
      }
    }
    assertThat(hits).isPositive();
    assertThat(misses).isPositive();
    return new Served(hits, misses);
  }

  private static boolean request(Engine engine, int first) throws IOException {
    ServerMessage.Answer answer = engine.query(first, PAGES);
    int hits = 0;
    if (answer.state() == AnswerState.READY) {
      hits = answer.hits();
      engine.submitRestore(answer.lease(), DESTINATION, hits);
      engine.awaitState(AnswerState.RESTORED);
      for (int page = 0; page < hits; page++) {
        assertThat(engine.wrongWords(DESTINATION + page, first + page)).isZero();
      }
    } else {
      assertThat(answer.state()).isEqualTo(AnswerState.MISS);
    }
    if (hits < PAGES) {
      engine.publish(first, PAGES);
    }
    return hits > 0;
  }
}
