package io.orbitkv.manager;

import static io.orbitkv.manager.fixture.PolicyHome.ask;
import static io.orbitkv.manager.fixture.PolicyHome.refusal;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.ManagerUnderTest;
import io.orbitkv.manager.fixture.PolicyHome;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Policies are swapped while engines work, over real sockets. */
@Timeout(120)
class PolicySwapTest {
  private static final int ENGINES = 3;
  private static final int SWAPS_OF_A_SLOT = 6;

  @TempDir Path home;

  @Test
  void swapOfEachSlot_underLoad_losesNoRequestAndNoByte() throws Exception {
    Path journal = home.resolve("journal.jsonl");
    PolicyHome.install(home, "  journal: {sample: 1, file: " + journal + "}");
    AtomicBoolean end = new AtomicBoolean();
    try (ManagerUnderTest under = new ManagerUnderTest(home, "--pool-size", PolicyLoad.POOL);
        Engine administrator = new Engine(under.socket());
        ExecutorService threads = Executors.newFixedThreadPool(ENGINES)) {
      List<Future<PolicyLoad>> engines = new ArrayList<>();
      for (int i = 0; i < ENGINES; i++) {
        PolicyLoad load = new PolicyLoad(under.socket(), i);
        Callable<PolicyLoad> work = () -> load.run(() -> !end.get());
        engines.add(threads.submit(work));
      }
      int boundaries = 0;
      try {
        for (int swap = 0; swap < SWAPS_OF_A_SLOT; swap++) {
          for (PolicySlot slot : PolicySlot.values()) {
            JsonNode answer =
                swap % 3 == 2
                    ? ask(administrator, "{\"do\": \"revert\", \"slot\": \"" + slot.key() + "\"}")
                    : swap(administrator, slot, "fault-policy", "reason", "swap-" + swap);
            assertThat(answer.path("changed").asBoolean(false)).as("%s", answer).isTrue();
            boundaries++;
            assertThat(engines).noneMatch(Future::isDone);
          }
        }
      } finally {
        end.set(true);
      }
      long hits = 0;
      for (Future<PolicyLoad> engine : engines) {
        PolicyLoad done = engine.get();
        assertThat(done.rounds()).isPositive();
        hits += done.hits();
      }
      assertThat(hits).isPositive();

      JsonNode list = ask(administrator, "{\"do\": \"list\"}");
      assertThat(list.path("slots")).hasSize(PolicySlot.values().length);
      long epoch = 0;
      for (JsonNode slot : list.path("slots")) {
        epoch = Math.max(epoch, slot.path("epoch").asLong(0));
        assertThat(slot.path("state").asString("")).isEqualTo("running");
        assertThat(slot.path("failed").asLong(-1)).isZero();
      }
      assertThat(epoch).isEqualTo(boundaries);
      assertThat(asked(under)).isEqualTo(PolicySlot.values().length);
      JsonNode explained =
          ask(administrator, "{\"do\": \"explain\", \"last\": 100}").path("entries");
      assertThat(explained).isNotEmpty();
      under.manager.verify();
      assertThat(under.fatal).isEmpty();
    }
    assertThat(Files.readString(journal))
        .contains("\"cause\":\"revert\"")
        .contains("\"choice\":\"prepare\"", "\"choice\":\"warm\"", "\"choice\":\"go-on\"")
        .contains("\"queued_tokens\":" + PolicyLoad.PAGES * 16);
  }

  /** Slots whose policies were asked, or told, anything in any epoch. */
  private static long asked(ManagerUnderTest under) {
    return under
        .manager
        .metrics(false)
        .lines()
        .filter(line ->
            line.startsWith("orbitkv_policy_questions_total{")
                || line.startsWith("orbitkv_policy_facts_total{"))
        .filter(line -> !line.endsWith(" 0"))
        .map(line -> line.replaceAll(".*slot=\"([^\"]*)\".*", "$1"))
        .distinct()
        .count();
  }

  @Test
  void swap_thatMakesNoSense_changesNothingAndSaysWhy() throws Exception {
    PolicyHome.install(home, "  {}");
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      assertThat(
              refusal(
                  administrator,
                  "{\"do\":\"swap\",\"slot\":\"admission.sdd\",\"policy\":\"fault-policy\"}"))
          .isEqualTo("[admission.sdd] is not a slot: did you mean [admission.ssd]?");
      assertThat(
              refusal(
                  administrator,
                  "{\"do\":\"swap\",\"slot\":\"admission.ssd\",\"policy\":\"comeback\"}"))
          .contains(
              "policies.admission.ssd: no plugin offers the policy [comeback]",
              "offered for admission.ssd: [fault-policy]",
              home.resolve("plugins").toString());
      assertThat(
              refusal(
                  administrator,
                  "{\"do\":\"swap\",\"slot\":\"warming\",\"policy\":\"fault-cutoff\"}"))
          .contains("the policy [fault-cutoff] serves in [cutoff], not here");
      assertThat(
              refusal(
                  administrator,
                  "{\"do\":\"swap\",\"slot\":\"warming\",\"policy\":\"fault-policy\","
                      + "\"settings\":{\"mode\":\"wrk\"}}"))
          .startsWith("mode=wrk: policies.warming.fault-policy.mode: [wrk] is not one of [");
      assertThat(
              refusal(
                  administrator,
                  "{\"do\":\"swap\",\"slot\":\"warming\",\"policy\":\"fault-policy\",\"settings_source\":\"p.yaml\",\"settings_yaml\":\"mode:"
                      + " work\\ndelay: 3\"}"))
          .startsWith("p.yaml:2:8: policies.warming.fault-policy.delay: [3]");
      assertThat(refusal(administrator, "{\"do\":\"revert\",\"slot\":\"warming\"}"))
          .contains("[warming] has run [default] since the start");
      assertThat(refusal(administrator, "{\"do\":\"dance\"}")).contains("[dance]");

      JsonNode list = ask(administrator, "{\"do\": \"list\"}");
      assertThat(list.path("slots"))
          .allMatch(slot -> slot.path("state").asString("").equals("built-in"));
    }
  }

  @Test
  void swap_toAPolicyThatCannotBeMade_runsTheDefaultAndRevertBringsTheOldOneBack()
      throws Exception {
    PolicyHome.install(home, "  warming: {fault-policy: {reason: first}}");
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      JsonNode answer = swap(administrator, PolicySlot.WARMING, "fault-policy", "mode", "unmade");
      assertThat(slot(answer, "warming").path("state").asString("")).isEqualTo("failed");
      assertThat(slot(answer, "warming").path("serves").asBoolean(true)).isFalse();

      JsonNode back = ask(administrator, "{\"do\":\"revert\",\"slot\":\"warming\"}");
      assertThat(slot(back, "warming").path("state").asString("")).isEqualTo("running");
      assertThat(slot(back, "warming").path("settings").asString("")).contains("reason: first");
    }
  }

  @Test
  void revert_afterAReload_bringsBackWhatRanBeforeItAndThenTheReload() throws Exception {
    PolicyHome.install(home, "  warming: {fault-policy: {reason: configured}}");
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      swap(administrator, PolicySlot.WARMING, "fault-policy", "reason", "swapped");
      PolicyHome.write(home, "  warming: {fault-policy: {reason: reloaded}}", "");
      assertThat(settingsAfter(administrator, "{\"do\":\"reload\"}")).contains("reloaded");

      String revert = "{\"do\":\"revert\",\"slot\":\"warming\"}";
      assertThat(settingsAfter(administrator, revert)).contains("reason: swapped");
      assertThat(settingsAfter(administrator, revert)).contains("reason: reloaded");
      assertThat(ask(administrator, "{\"do\":\"reload\"}").path("changed").asBoolean(true))
          .isFalse();
      assertThat(settingsAfter(administrator, revert)).contains("reason: swapped");
    }
  }

  private static String settingsAfter(Engine administrator, String request) throws Exception {
    return slot(ask(administrator, request), "warming").path("settings").asString("");
  }

  @Test
  void swapOfACutoff_toSeveral_servesAllAndRevertBringsTheOneBack() throws Exception {
    PolicyHome.install(home, "  cutoff: fault-cutoff");
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      JsonNode both =
          ask(
              administrator,
              "{\"do\":\"swap\",\"slot\":\"cutoff\",\"value\":"
                  + "\"[fault-cutoff, {fault-policy: {reason: second}}]\"}");
      assertThat(both.path("slots"))
          .filteredOn(slot -> slot.path("slot").asString("").equals("cutoff"))
          .hasSize(2)
          .allMatch(slot -> slot.path("state").asString("").equals("running"))
          .anyMatch(slot -> slot.path("settings").asString("").contains("reason: second"));

      JsonNode back = ask(administrator, "{\"do\":\"revert\",\"slot\":\"cutoff\"}");
      assertThat(back.path("slots"))
          .filteredOn(slot -> slot.path("slot").asString("").equals("cutoff"))
          .hasSize(1)
          .allMatch(slot -> slot.path("policy").asString("").equals("fault-cutoff"));
    }
  }

  @Test
  void swapToAValue_thatTheConfigurationWouldNotTake_isRefusedAsThere() throws Exception {
    PolicyHome.install(home, "  {}");
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      assertThat(refusal(administrator, swapTo("warming", "[fault-policy, fault-policy]")))
          .contains("policies.warming: takes one policy; only cutoff takes a list");
      assertThat(refusal(administrator, swapTo("cutoff", "[fault-cutoff, fault-cutoff]")))
          .contains("[fault-cutoff] is named twice with equal settings");
      assertThat(refusal(administrator, swapTo("cutoff", "[fault-cutoff, none]")))
          .contains("[none] stands alone");
      assertThat(refusal(administrator, swapTo("cutoff", "[]")))
          .contains("policies.cutoff: names no policy");
      assertThat(refusal(administrator, swapTo("cutoff", "[{fault-policy: {mode: wrk}}]")))
          .contains("policies.cutoff.fault-policy.mode: [wrk] is not one of [");
      assertThat(
              refusal(
                  administrator,
                  "{\"do\":\"swap\",\"slot\":\"cutoff\",\"value\":\"[a]\",\"policy\":\"a\"}"))
          .contains("leave [policy] out");
    }
  }

  private static String swapTo(String slot, String value) {
    return "{\"do\":\"swap\",\"slot\":\"" + slot + "\",\"value\":\"" + value + "\"}";
  }

  @Test
  void settle_whenNothingIsUnderWay_answers() throws Exception {
    PolicyHome.install(home, PolicyHome.everywhere(_ -> "fault-policy"));
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      JsonNode answer = ask(administrator, "{\"do\": \"settle\"}");

      assertThat(answer.path("settled").asBoolean(false)).isTrue();
      assertThat(refusal(administrator, "{\"do\": \"settle\", \"within_ms\": 0}"))
          .contains("[within_ms] is [0]: at least 1");
    }
  }

  @Test
  void reload_takesPoliciesOverAndRefusesTheRestByKey() throws Exception {
    PolicyHome.install(home, "  warming: fault-policy");
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      assertThat(ask(administrator, "{\"do\":\"reload\"}").path("changed").asBoolean(true))
          .isFalse();

      PolicyHome.write(home, "  cutoff: [fault-cutoff, fault-policy]\n  journal: {sample: 3}", "");
      assertThat(refusal(administrator, "{\"do\":\"reload\"}"))
          .contains("policies.journal.sample: is [3] now, and the Manager runs with [16]");

      PolicyHome.write(
          home, "  cutoff: [fault-cutoff, fault-policy]", "query: {read-pipeline: 3}\n");
      assertThat(refusal(administrator, "{\"do\":\"reload\"}"))
          .contains("orbitkv.yaml:7", "query.read-pipeline: is [3] now")
          .contains("a reload changes policies alone; put it back, or restart");

      PolicyHome.write(
          home, "  cutoff: [fault-cutoff, fault-policy]", "ab: {variants: {A: {}, B: {}}}\n");
      JsonNode answer = ask(administrator, "{\"do\":\"reload\"}");
      assertThat(answer.path("notes").path(0).asString(""))
          .contains("the section [ab] is another than before")
          .contains("begins, changes and ends no experiment");
      assertThat(answer.path("changed").asBoolean(false)).isTrue();
      assertThat(slot(answer, "warming").path("state").asString("")).isEqualTo("built-in");
      assertThat(answer.path("slots"))
          .filteredOn(slot -> slot.path("slot").asString("").equals("cutoff"))
          .hasSize(2)
          .allMatch(slot -> slot.path("epoch").asLong(0) == 2);
    }
  }

  @Test
  void start_withAPolicyWhosePluginIsMissing_isRefusedAndNamesTheDirectory() throws Exception {
    PolicyHome.install(home, "  warming: unheard-of");

    assertThatThrownBy(() -> new ManagerUnderTest(home))
        .isInstanceOf(ManagerException.class)
        .hasMessageContaining("orbitkv.yaml:8:12: policies.warming: no plugin offers the policy")
        .hasMessageContaining("plugins are looked for in [" + home.resolve("plugins") + "]");
  }

  @Test
  void journalFile_holdsTheBoundaries() throws Exception {
    Path journal = home.resolve("journal.jsonl");
    PolicyHome.install(home, "  warming: fault-policy\n  journal: {file: " + journal + "}");
    try (ManagerUnderTest under = new ManagerUnderTest(home);
        Engine administrator = new Engine(under.socket())) {
      swap(administrator, PolicySlot.WARMING, "none", "", "");
    }
    assertThat(Files.readAllLines(journal))
        .filteredOn(line -> line.contains("\"kind\":\"boundary\""))
        .hasSize(2)
        .last()
        .asString()
        .contains("\"cause\":\"swap\"", "\"epoch\":2");
  }

  private static JsonNode swap(
      Engine administrator, PolicySlot slot, String policy, String key, String value)
      throws java.io.IOException {
    String settings = key.isEmpty() ? "{}" : "{\"" + key + "\":\"" + value + "\"}";
    return ask(
        administrator,
        "{\"do\":\"swap\",\"slot\":\""
            + slot.key()
            + "\",\"policy\":\""
            + policy
            + "\",\"settings\":"
            + settings
            + "}");
  }

  private static JsonNode slot(JsonNode answer, String key) {
    for (JsonNode slot : answer.path("slots")) {
      if (slot.path("slot").asString("").equals(key)) {
        return slot;
      }
    }
    throw new AssertionError("no slot " + key + " in " + answer);
  }
}
