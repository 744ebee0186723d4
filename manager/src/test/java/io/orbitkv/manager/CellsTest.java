package io.orbitkv.manager;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.manager.environment.ManagerException;
import io.orbitkv.manager.fixture.CellsHome;
import io.orbitkv.manager.fixture.ChildProcess;
import io.orbitkv.manager.fixture.Engine;
import io.orbitkv.manager.fixture.EngineMain;
import io.orbitkv.manager.fixture.PolicyHome;
import io.orbitkv.wire.ClientMessage;
import io.orbitkv.wire.ServerMessage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A Manager whose tiers and budgets are divided by instance, over real sockets. */
@Timeout(120)
class CellsTest {
  private static final long PATIENCE_NANOS = 30_000_000_000L;
  private static final int PAGES = 8;
  private static final List<String> SUMS =
      List.of(
          "reserved_bytes",
          "reserved_peak_bytes",
          "budget_bytes",
          "resident_pages",
          "resident_bytes",
          "stored_pages",
          "instances",
          "operations",
          "leases");
  private static final String FIRST = CellsHome.instance(0, 0);
  private static final String SECOND = CellsHome.instance(1, 0);

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

  private static void await(String what, BooleanSupplier there) {
    long start = System.nanoTime();
    while (!there.getAsBoolean()) {
      if (System.nanoTime() - start > PATIENCE_NANOS) {
        throw new AssertionError(what + " did not come");
      }
      LockSupport.parkNanos(200_000);
    }
  }

  private static void hit(Engine engine, int first) throws IOException {
    ServerMessage.Answer answer = engine.query(first, PAGES);
    assertThat(answer.state()).as("%s", answer).isEqualTo(AnswerState.READY);
    assertThat(answer.hits()).isEqualTo(PAGES);
    engine.submitRestore(answer.lease(), 32, PAGES);
    engine.awaitState(AnswerState.RESTORED);
    for (int page = 0; page < PAGES; page++) {
      assertThat(engine.wrongWords(32 + page, first + (long) page)).isZero();
    }
  }

  private static void miss(Engine engine, int first) throws IOException {
    assertThat(engine.query(first, PAGES).state()).isEqualTo(AnswerState.MISS);
  }

  @Test
  void pages_ofOneCell_areNoHitForTheOther() throws Exception {
    try (Manager manager = home.start();
        Engine first = new Engine(manager.socketPath(), FIRST);
        Engine neighbour = new Engine(manager.socketPath(), CellsHome.instance(0, 1));
        Engine second = new Engine(manager.socketPath(), SECOND)) {
      first.publish(1000, PAGES);
      hit(neighbour, 1000);
      miss(second, 1000);

      second.publish(1000, PAGES);
      hit(second, 1000);
      JsonNode of1 = CellsHome.cell(manager, 0);
      JsonNode of2 = CellsHome.cell(manager, 1);
      assertThat(of1.path("resident_pages").asInt()).isEqualTo(PAGES);
      assertThat(of2.path("resident_pages").asInt()).isEqualTo(PAGES);
      assertThat(of1.path("counters").path("restored_pages").asInt()).isEqualTo(PAGES);
      assertThat(of2.path("counters").path("restored_pages").asInt()).isEqualTo(PAGES);
      assertThat(of1.path("instance_names").size()).isEqualTo(2);
      assertThat(of2.path("instance_names").path(0).asString()).isEqualTo(SECOND);
      manager.verify();
    }
  }

  @Test
  void poolsBudgetsAndStores_areSharesThatAddUpToTheWhole() throws Exception {
    try (Manager manager = home.start();
        Engine first = new Engine(manager.socketPath(), FIRST);
        Engine second = new Engine(manager.socketPath(), SECOND)) {
      for (Engine engine : List.of(first, second)) {
        for (int chain = 0; chain < 40; chain++) {
          engine.publish(1000 + 100 * chain, 32);
          ServerMessage.Answer answer = engine.query(1000 + 100 * chain, 32);
          assertThat(answer.state()).isEqualTo(AnswerState.READY);
          engine.submitRestore(answer.lease(), 32, answer.hits());
          engine.awaitState(AnswerState.RESTORED);
        }
      }

      JsonNode all = CellsHome.status(manager);
      JsonNode of1 = all.path("cells").path(0);
      JsonNode of2 = all.path("cells").path(1);
      assertThat(all.path("cells").size()).isEqualTo(2);
      long budget = home.config().budgetBytes();
      assertThat(of1.path("budget_bytes").asLong()).isEqualTo(budget / 4);
      assertThat(of2.path("budget_bytes").asLong()).isEqualTo(budget / 4 * 3);
      assertThat(of1.path("pool").path("capacity_bytes").asLong()).isEqualTo(2 << 20);
      assertThat(of2.path("pool").path("capacity_bytes").asLong()).isEqualTo(6 << 20);
      assertThat(of1.path("backing").path("capacity_bytes").asLong()).isEqualTo(1 << 20);
      assertThat(of2.path("backing").path("capacity_bytes").asLong()).isEqualTo(3 << 20);
      assertThat(all.path("backing").path("capacity_bytes").asLong()).isEqualTo(4 << 20);
      for (JsonNode cell : List.of(of1, of2)) {
        assertThat(cell.path("reserved_peak_bytes").asLong())
            .isPositive()
            .isLessThanOrEqualTo(cell.path("budget_bytes").asLong());
        assertThat(cell.path("resident_bytes").asLong())
            .isLessThanOrEqualTo(cell.path("pool").path("capacity_bytes").asLong());
      }
      // The first one has less room than its chains, the other one more.
      assertThat(of1.path("counters").path("evicted_pages").asLong()).isPositive();
      for (String key : SUMS) {
        assertThat(all.path(key).asLong())
            .as(key)
            .isEqualTo(of1.path(key).asLong() + of2.path(key).asLong());
      }
      all.path("counters")
          .properties()
          .forEach(counter ->
              assertThat(counter.getValue().asLong())
                  .as(counter.getKey())
                  .isEqualTo(
                      of1.path("counters").path(counter.getKey()).asLong()
                          + of2.path("counters").path(counter.getKey()).asLong()));
      assertThat(all.path("sessions").asInt()).isEqualTo(2);
      assertThat(all.path("pool").path("ready_percent").asInt()).isEqualTo(100);
      assertThat(manager.startupLine())
          .contains(", all of it divided into two cells (25 and 75 %, by instance)");
    }
  }

  @Test
  void instanceOfTheOtherCell_onOneSession_isRefusedAndTheSessionGoesOn() throws Exception {
    try (Manager manager = home.start();
        Engine second = new Engine(manager.socketPath(), SECOND);
        Engine first = new Engine(manager.socketPath(), FIRST)) {
      first.client().send(new ClientMessage.Attach(first.nextOperation(), SECOND));
      ServerMessage.Refused refused = first.expect(ServerMessage.Refused.class);
      assertThat(refused.error()).isEqualTo(ErrorCode.CONFLICT);
      assertThat(refused.message())
          .isEqualTo(
              "instance ["
                  + SECOND
                  + "] belongs to cell [2], and this session serves instances of cell [1], which"
                  + " shares nothing with it (ab.assign.isolation: partition): use a session of"
                  + " its own for it");

      first.publish(1000, PAGES);
      hit(first, 1000);
      miss(second, 1000);
    }
  }

  @Test
  void sessionWithoutAnInstance_cannotUseOnesOfOthers() throws Exception {
    try (Manager manager = home.start();
        Engine first = new Engine(manager.socketPath(), FIRST);
        Engine stranger = new Engine(manager.socketPath())) {
      first.publish(1000, PAGES);
      stranger.client().send(new ClientMessage.Release(stranger.nextOperation(), LeaseId.NONE));
      assertThat(stranger.expect(ServerMessage.Refused.class).message())
          .contains("this session has no instance")
          .contains("register or attach on it first");
      stranger.register(SECOND);
      miss(stranger, 1000);
    }
  }

  @Test
  void scheduler_attachesInTheCellOfItsInstance() throws Exception {
    try (Manager manager = home.start();
        Engine worker = new Engine(manager.socketPath(), SECOND);
        Engine scheduler = new Engine(manager.socketPath())) {
      worker.publish(1000, PAGES);
      scheduler.client().send(new ClientMessage.Attach(scheduler.nextOperation(), SECOND));
      int instance = scheduler.expect(ServerMessage.Attached.class).instance();
      assertThat(instance).isEqualTo(worker.instance());
      hit(worker, 1000);
    }
  }

  @Test
  void syncAndEvict_ofAnAdministrator_areDoneInBothCellsWithOneAnswer() throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath());
        Engine first = new Engine(manager.socketPath(), FIRST);
        Engine second = new Engine(manager.socketPath(), SECOND)) {
      first.publish(1000, PAGES);
      second.publish(1000, 2 * PAGES);
      long sync = administrator.nextOperation();
      administrator.client().send(new ClientMessage.Sync(sync, true));
      assertThat(administrator.expect(ServerMessage.Done.class).operation()).isEqualTo(sync);
      long resident = CellsHome.status(manager).path("resident_bytes").asLong();
      assertThat(resident).isEqualTo(3L * PAGES * Engine.PAGE_BYTES);

      assertThat(CellsHome.evict(administrator)).isEqualTo(resident);
      assertThat(CellsHome.status(manager).path("resident_pages").asInt()).isZero();
      // An instance empties its own cell alone.
      hit(first, 1000);
      hit(second, 1000);
      assertThat(CellsHome.evict(first)).isEqualTo((long) PAGES * Engine.PAGE_BYTES);
      assertThat(CellsHome.cell(manager, 0).path("resident_pages").asInt()).isZero();
      assertThat(CellsHome.cell(manager, 1).path("resident_pages").asInt()).isEqualTo(PAGES);
    }
  }

  @Test
  void assignment_survivesARestart_andAnotherSplitAsksTheHashAnew() throws Exception {
    try (Manager manager = home.start()) {
      new Engine(manager.socketPath(), FIRST).close();
      new Engine(manager.socketPath(), SECOND).close();
      await("the file", () -> kept().contains(FIRST) && kept().contains(SECOND));
    }
    // As if somebody had been in the other cell since before: what was kept counts.
    String kept = Files.readString(home.assignments());
    assertThat(kept).contains("\"" + FIRST + "\":1", "\"" + SECOND + "\":2");
    Files.writeString(
        home.assignments(), kept.replace("\"" + FIRST + "\":1", "\"" + FIRST + "\":2"));
    try (Manager manager = home.start();
        Engine moved = new Engine(manager.socketPath(), FIRST)) {
      moved.publish(1000, PAGES);
      assertThat(CellsHome.cell(manager, 1).path("resident_pages").asInt()).isEqualTo(PAGES);
      assertThat(CellsHome.cell(manager, 0).path("assigned_instances").asInt()).isZero();
    }

    home.write(CellsHome.PERCENT, CellsHome.SALT + 1);
    try (Manager manager = home.start()) {
      assertThat(CellsHome.cell(manager, 0).path("assigned_instances").asInt()).isZero();
      assertThat(CellsHome.cell(manager, 1).path("assigned_instances").asInt()).isZero();
    }
    assertThat(home.assignments().resolveSibling("manager.sock.cells.json.before")).exists();
  }

  private String kept() {
    try {
      return Files.exists(home.assignments()) ? Files.readString(home.assignments()) : "";
    } catch (IOException replaced) {
      return "";
    }
  }

  @Test
  void killOfAnEngine_inOneCell_leavesTheOtherAlone() throws Exception {
    try (Manager manager = home.start();
        Engine second = new Engine(manager.socketPath(), SECOND)) {
      second.publish(1000, PAGES);
      ServerMessage.Answer held = second.query(1000, PAGES);
      try (ChildProcess first =
          ChildProcess.start(
              EngineMain.class,
              manager.socketPath().toString(),
              EngineMain.State.RESTORE_SUBMITTED.name(),
              FIRST)) {
        first.awaitLine(EngineMain.THERE);
        assertThat(CellsHome.cell(manager, 0).path("instances").asInt()).isEqualTo(1);
        first.kill();
      }
      await(
          "the end of the crashed engine",
          () ->
              CellsHome.cell(manager, 0).path("instances").asInt() == 0
                  && CellsHome.cell(manager, 0).path("leases").asInt() == 0
                  && CellsHome.cell(manager, 0).path("operations").asInt() == 0);

      JsonNode other = CellsHome.cell(manager, 1);
      assertThat(other.path("instances").asInt()).isEqualTo(1);
      assertThat(other.path("leases").asInt()).isEqualTo(1);
      second.submitRestore(held.lease(), 32, PAGES);
      second.awaitState(AnswerState.RESTORED);
      assertThat(second.wrongWords(32, 1000)).isZero();
      manager.verify();
    }
  }

  @Test
  void stores_onFiles_areOneForEachCell_andRecoverByThemselves() throws Exception {
    Path store = folder.resolve("store");
    String settings = "capacity: 64mb, path: " + store;
    home.write("fault-ssd", settings, CellsHome.assign(CellsHome.PERCENT, CellsHome.SALT));
    try (Manager manager = home.start();
        Engine first = new Engine(manager.socketPath(), FIRST)) {
      first.publish(1000, PAGES);
      first.client().send(new ClientMessage.Sync(first.nextOperation(), true));
      first.expect(ServerMessage.Done.class);
    }
    assertThat(store).doesNotExist();
    assertThat(Files.size(folder.resolve("store.cell-1"))).isEqualTo(16 << 20);
    assertThat(Files.size(folder.resolve("store.cell-2"))).isEqualTo(48 << 20);
    try (Manager manager = home.start();
        Engine first = new Engine(manager.socketPath(), FIRST);
        Engine second = new Engine(manager.socketPath(), SECOND)) {
      await(
          "the pages of the store",
          () -> CellsHome.cell(manager, 0).path("stored_pages").asInt() == PAGES);
      miss(second, 1000);
      hit(first, 1000);
      assertThat(CellsHome.cell(manager, 0).path("counters").path("read_done_pages").asInt())
          .isEqualTo(PAGES);
    }
  }

  @Test
  void swapOfAPolicy_isDoneInBothCells() throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      JsonNode answer =
          PolicyHome.ask(
              administrator,
              "{\"do\":\"swap\",\"slot\":\"admission.dram\",\"policy\":\"fault-policy\","
                  + "\"settings\":{\"mode\":\"work\"}}");
      assertThat(answer.path("changed").asBoolean()).isTrue();
      for (String cell : List.of("1", "2")) {
        assertThat(answer.path("slots"))
            .anyMatch(slot ->
                slot.path("cell").asString().equals(cell)
                    && slot.path("slot").asString().equals("admission.dram")
                    && slot.path("policy").asString().equals("fault-policy")
                    && slot.path("serves").asBoolean());
      }
      // One journal, whose epochs tell the cells apart.
      JsonNode entries =
          PolicyHome.ask(administrator, "{\"do\":\"explain\",\"last\":10}").path("entries");
      assertThat(entries.findValuesAsString("epoch")).doesNotHaveDuplicates();
    }
  }

  @Test
  void reload_thatWouldDivideOtherwise_isRefused() throws Exception {
    try (Manager manager = home.start();
        Engine administrator = new Engine(manager.socketPath())) {
      home.write("fault-store", "capacity: 4mb", "{isolation: time, slot: 1m}");
      assertThat(PolicyHome.refusal(administrator, "{\"do\":\"reload\"}"))
          .contains(
              "says one cell now, and the Manager runs with two cells (split [25, 75], salt [7])")
          .contains("restart");
    }
  }

  @Test
  void backingTierThatCannotBeDivided_keepsTheManagerFromStarting() throws Exception {
    home.write("fault-ssd", "path: /dev/null", CellsHome.assign(CellsHome.PERCENT, CellsHome.SALT));
    assertThatExceptionOfType(ManagerException.class)
        .isThrownBy(() -> home.start().close())
        .withMessageContaining("[/dev/null] is no file, and only files can be divided");
  }
}
