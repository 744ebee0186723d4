package io.orbitkv.manager;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.manager.fixture.CellsHome;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.PolicyHome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Experiments whose variants have a cell each, on a real Manager whose clock a test moves. */
@Timeout(120)
class CellExperimentTest {
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final int PAGES = 8;
  private static final String START = "{\"do\":\"ab-start\"}";
  private static final String STATUS = "{\"do\":\"ab-status\"}";

  @TempDir Path folder;
  private CellsHome home;

  @BeforeEach
  void install() throws IOException {
    home = new CellsHome(folder);
  }

  @AfterEach
  void nothingBroke() {
    assertThat(home.fatal).isEmpty();
  }

  private void nextBlock(Engine administrator) throws IOException {
    int before = CellsHome.experiment(administrator).path("blocks").size();
    home.pass(CellsHome.BLOCK);
    long start = System.nanoTime();
    while (CellsHome.experiment(administrator).path("blocks").size() == before) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError("the end of block " + before + " did not come");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static String serving(Manager manager, int cell, Engine administrator)
      throws IOException {
    String name = Integer.toString(cell + 1);
    for (JsonNode slot : PolicyHome.ask(administrator, "{\"do\":\"list\"}").path("slots")) {
      if (slot.path("cell").asString().equals(name)
          && slot.path("slot").asString().equals("admission.dram")
          && slot.path("serves").asBoolean()) {
        String variant = CellsHome.cell(manager, cell).path("variant").asString();
        assertThat(slot.path("variant").asString()).isEqualTo(variant);
        return variant + ":" + slot.path("policy").asString();
      }
    }
    throw new AssertionError("nobody serves in cell " + name);
  }

  @Test
  void cells_runAThenTheVariants_exchangeThemInTheMiddle_andGoBackToTheConfiguration()
      throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath());
        Engine first = new Engine(manager.socketPath(), CellsHome.instance(0, 0));
        Engine second = new Engine(manager.socketPath(), CellsHome.instance(1, 0))) {
      JsonNode started = PolicyHome.ask(administrator, START).path("experiment");
      assertThat(started.path("isolation").asString()).isEqualTo("partition");
      int total = started.path("blocks_total").asInt();
      assertThat(total).isEqualTo(4 + 12);
      List<String> served = new ArrayList<>();
      for (int block = 0; block < total; block++) {
        served.add(serving(manager, 0, administrator) + " " + serving(manager, 1, administrator));
        first.publish(1000 + 100 * block, PAGES);
        first.query(1000 + 100 * block, PAGES);
        second.publish(1000 + 100 * block, 2 * PAGES);
        second.query(1000 + 100 * block, 2 * PAGES);
        nextBlock(administrator);
      }

      assertThat(served.subList(0, 2)).containsOnly("A:none B:none");
      assertThat(served.subList(2, 4)).containsOnly("B:none A:none");
      assertThat(served.subList(4, 10)).containsOnly("A:none B:fault-policy");
      assertThat(served.subList(10, 16)).containsOnly("B:fault-policy A:none");
      JsonNode done = CellsHome.experiment(administrator);
      assertThat(done.path("state").asString()).isEqualTo("done");
      assertThat(done.path("settle_blocks").asInt()).isEqualTo(1);
      for (JsonNode block : done.path("blocks")) {
        int index = block.path("index").asInt();
        boolean swapped = block.path("swapped").asBoolean();
        assertThat(swapped).isEqualTo((index >= 2 && index < 4) || index >= 10);
        assertThat(block.path("settling").asBoolean()).isEqualTo(index == 4 || index == 10);
        // Each variant has the instances of the cell that it served in, with the kernel's sums.
        assertThat(block.path("A").path("queries").asInt()).isEqualTo(1);
        assertThat(block.path("A").path("asked_pages").asInt())
            .isEqualTo(swapped ? 2 * PAGES : PAGES);
        assertThat(block.path("B").path("asked_pages").asInt())
            .isEqualTo(swapped ? PAGES : 2 * PAGES);
        assertThat(block.path("A").has("ssd_written_bytes")).isTrue();
      }
      assertThat(serving(manager, 0, administrator)).isEqualTo("none:none");
      assertThat(serving(manager, 1, administrator)).isEqualTo("none:none");
    }
  }

  @Test
  void experiment_afterARestart_goesOnInBothCells() throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      PolicyHome.ask(administrator, START);
      for (int block = 0; block < 5; block++) {
        nextBlock(administrator);
      }
    }
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      JsonNode resumed = CellsHome.experiment(administrator);
      assertThat(resumed.path("state").asString()).isEqualTo("running");
      assertThat(resumed.path("restarts").asInt()).isEqualTo(1);
      assertThat(resumed.path("blocks").size()).isEqualTo(5);
      assertThat(serving(manager, 0, administrator)).isEqualTo("A:none");
      assertThat(serving(manager, 1, administrator)).isEqualTo("B:fault-policy");
      nextBlock(administrator);
      JsonNode blocks = CellsHome.experiment(administrator).path("blocks");
      assertThat(blocks.path(4).path("A").isObject()).isTrue();
      assertThat(blocks.path(5).path("after_restart").asBoolean()).isTrue();
      assertThat(blocks.path(5).path("B").isObject()).isTrue();
      PolicyHome.ask(administrator, "{\"do\":\"ab-stop\"}");
      assertThat(serving(manager, 1, administrator)).isEqualTo("none:none");
    }
    home.write(CellsHome.PERCENT, CellsHome.SALT);
  }

  @Test
  void experiment_ofManagerThatIsDividedOtherwiseMeanwhile_isInterrupted() throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      PolicyHome.ask(administrator, START);
    }
    home.write(50, CellsHome.SALT);
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      JsonNode left = CellsHome.experiment(administrator);
      assertThat(left.path("state").asString()).isEqualTo("interrupted");
      assertThat(left.path("reason").asString())
          .contains("split [25, 75] with salt [7] is not how this Manager's tiers are divided");
      assertThat(serving(manager, 0, administrator)).isEqualTo("none:none");
    }
  }

  @Test
  void stop_endsItInBothCells_andTheNextOneStartsAtOnce() throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      for (int round = 0; round < 3; round++) {
        PolicyHome.ask(administrator, START);
        assertThat(serving(manager, 0, administrator)).isEqualTo("A:none");
        JsonNode stopped = PolicyHome.ask(administrator, "{\"do\":\"ab-stop\"}");
        assertThat(stopped.path("experiment").path("state").asString()).isEqualTo("stopped");
        assertThat(serving(manager, 0, administrator)).isEqualTo("none:none");
        assertThat(serving(manager, 1, administrator)).isEqualTo("none:none");
      }
    }
  }

  @Test
  void otherIsolations_onDividedTiers_areRefusedWithTheReason() throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      assertThat(
              PolicyHome.refusal(
                  administrator, "{\"do\":\"ab-start\",\"isolation\":\"time\",\"block\":\"1m\"}"))
          .contains(
              "[time] needs one cache, and this Manager's tiers are divided into two cells since"
                  + " its start");
      assertThat(PolicyHome.refusal(administrator, "{\"do\":\"ab-start\",\"by\":\"chain\"}"))
          .contains("[partition] on live traffic is by instance")
          .contains("an instance's device pages and status boards belong to one kernel")
          .contains("ab --simulate");
      assertThat(PolicyHome.refusal(administrator, "{\"do\":\"ab-start\",\"salt\":\"8\"}"))
          .contains("split [25, 75] with salt [8] is not how this Manager's tiers are divided")
          .contains("which is [25, 75] with salt [7]");
      assertThat(
              PolicyHome.refusal(administrator, "{\"do\":\"ab-start\",\"primary\":\"throughput\"}"))
          .contains("[throughput] says how much traffic was assigned to a variant");
      assertThat(PolicyHome.refusal(administrator, "{\"do\":\"ab-start\",\"for\":\"10m\"}"))
          .contains("an interval needs [10] beside the [1] after each change of policies")
          .contains("make it [12m] or more");
      assertThat(PolicyHome.ask(administrator, STATUS).path("experiment").isNull()).isTrue();
    }
  }

  @Test
  void partition_onTiersThatAreNotDivided_isRefusedWithWhatToDo() throws Exception {
    home.write("fault-store", "capacity: 4mb", "{isolation: time, slot: 1m}");
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      assertThat(CellsHome.status(manager).has("cells")).isFalse();
      assertThat(
              PolicyHome.refusal(
                  administrator,
                  "{\"do\":\"ab-start\",\"isolation\":\"partition\",\"by\":\"instance\"}"))
          .contains("this Manager was started with one of each")
          .contains("write ab.assign: {by: instance, isolation: partition}")
          .contains("restart it");
    }
  }
}
