package io.orbitkv.manager.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.Manager;
import io.orbitkv.manager.fixture.CellsHome;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.PolicyHome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Metrics of cells and of variants add up to those of the whole, over a whole experiment. */
@Timeout(120)
class CellMetricsTest {
  private static final int MOST_REPORTS = 1_000;

  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final int PAGES = 8;
  private static final List<String> GREW =
      List.of(
          "orbitkv_cell_queries_total",
          "orbitkv_cell_save_stored_pages_total",
          "orbitkv_cell_load_bytes_total",
          "orbitkv_cell_cache_resident_bytes");

  @TempDir Path folder;

  @Test
  void samples_ofCellsAndVariants_addUpToTheWholeBeforeDuringAndAfterAnExperiment()
      throws Exception {
    CellsHome home = new CellsHome(folder);
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath());
        Engine first = new Engine(manager.socketPath(), CellsHome.instance(0, 0));
        Engine second = new Engine(manager.socketPath(), CellsHome.instance(1, 0))) {
      int key = work(first, second, 1000);
      assertThat(variants(check(manager))).containsExactly("none");

      PolicyHome.ask(administrator, "{\"do\":\"ab-start\"}");
      key = work(first, second, key);
      assertThat(variants(check(manager))).containsExactlyInAnyOrder("none", "A", "B");
      JsonNode policies = check(manager);
      assertThat(policies.findValuesAsString("variant")).contains("A", "B");

      // Half of the A/A period, the change to two policies, the exchange, the end.
      int blocks = 0;
      while (experimentRuns(administrator)) {
        key = work(first, second, key);
        home.pass(CellsHome.BLOCK);
        blocks++;
        await(administrator, blocks);
        check(manager);
      }

      work(first, second, key);
      JsonNode metrics = check(manager);
      // What the variants did stays theirs.
      Set<String> ofCells = new HashSet<>();
      for (JsonNode sample : family(metrics, "orbitkv_cell_queries_total").path("samples")) {
        ofCells.add(
            sample.path("labels").path("cell").asString()
                + sample.path("labels").path("variant").asString());
        assertThat(sample.path("value").asLong()).isPositive();
      }
      assertThat(ofCells).containsExactlyInAnyOrder("1none", "1A", "1B", "2none", "2A", "2B");
      assertThat(home.fatal).isEmpty();
    }
  }

  private static int work(Engine first, Engine second, int key) throws IOException {
    for (Engine engine : List.of(first, second)) {
      engine.publish(key, PAGES);
      var answer = engine.query(key, PAGES);
      if (answer.hits() > 0) {
        engine.submitRestore(answer.lease(), 32, answer.hits());
        engine.terminal();
      }
    }
    return key + 100;
  }

  private static boolean experimentRuns(Engine administrator) throws IOException {
    return CellsHome.experiment(administrator).path("state").asString().equals("running");
  }

  private static void await(Engine administrator, int blocks) throws IOException {
    long start = System.nanoTime();
    while (CellsHome.experiment(administrator).path("blocks").size() < blocks) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError("the end of block " + blocks + " did not come");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * The sums hold in each report while nothing moves; the store's writes go on behind the answers,
   * and a page that is written between the reading of a part and of the whole is in one of them.
   */
  private static JsonNode check(Manager manager) {
    for (int reports = 1; reports < MOST_REPORTS; reports++) {
      JsonNode metrics = JsonMapper.shared().readTree(manager.metrics(true));
      if (addsUp(metrics)) {
        return checked(metrics);
      }
    }
    return checked(JsonMapper.shared().readTree(manager.metrics(true)));
  }

  private static boolean addsUp(JsonNode metrics) {
    for (JsonNode sum : metrics.path("sums")) {
      String part = sum.path("parts").path(0).asString();
      if (part.startsWith("orbitkv_cell_")
          && total(metrics, part) != total(metrics, sum.path("whole").asString())) {
        return false;
      }
    }
    return true;
  }

  private static JsonNode checked(JsonNode metrics) {
    int parts = 0;
    for (JsonNode sum : metrics.path("sums")) {
      String part = sum.path("parts").path(0).asString();
      if (part.startsWith("orbitkv_cell_")) {
        assertThat(sum.path("holds").asString()).isEqualTo("always");
        assertThat(total(metrics, part))
            .as(part)
            .isEqualTo(total(metrics, sum.path("whole").asString()));
        parts++;
      }
    }
    assertThat(parts).isGreaterThan(80);
    for (String name : GREW) {
      assertThat(total(metrics, name)).as(name).isPositive();
    }
    return metrics;
  }

  private static double total(JsonNode metrics, String name) {
    double total = 0;
    for (JsonNode sample : family(metrics, name).path("samples")) {
      total += sample.path("value").asDouble();
    }
    return total;
  }

  private static JsonNode family(JsonNode metrics, String name) {
    for (JsonNode family : metrics.path("metrics")) {
      if (family.path("name").asString().equals(name)) {
        return family;
      }
    }
    throw new AssertionError("[" + name + "] is not exported");
  }

  private static Set<String> variants(JsonNode metrics) {
    Set<String> variants = new HashSet<>();
    for (JsonNode sample : family(metrics, "orbitkv_cell_queries_total").path("samples")) {
      variants.add(sample.path("labels").path("variant").asString());
    }
    return variants;
  }
}
