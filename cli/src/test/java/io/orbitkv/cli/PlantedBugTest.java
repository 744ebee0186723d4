package io.orbitkv.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.workload.planted.PlantedBug;
import io.orbitkv.workload.planted.PlantedBugs;
import io.orbitkv.workload.sim.rule.Invariant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The simulators must find each planted bug, and name the invariant that it was planted for. */
class PlantedBugTest {
  private static final String HOME = "orbitkv.home";
  private static final String SEEDS = "1..500";
  private static final int A_DAY = 3;
  private static final int OF_STORE_A_DAY = 2;

  @TempDir static Path home;

  private static PlantedBugs bugs;
  private static List<String> storeInvariants;

  @BeforeAll
  static void install() throws IOException {
    Path built = Path.of(System.getProperty("basedir", "."), "../planted-bugs/target/planting");
    Path installed = Files.createDirectories(home.resolve("share/planted"));
    try (Stream<Path> files = Files.list(built.resolve("planted"))) {
      for (Path file : files.toList()) {
        Files.copy(file, installed.resolve(file.getFileName().toString()));
      }
    }
    TestHome.installStoreSimulator(home);
    System.setProperty(HOME, home.toString());
    bugs = PlantedBugs.ofInstallation(home);
    storeInvariants =
        Invocation.of("sim", "--store", "--list-invariants")
            .out()
            .lines()
            .map(line -> line.split(" ", 2)[0])
            .toList();
  }

  @AfterAll
  static void uninstall() {
    System.clearProperty(HOME);
  }

  @Test
  void listBugs_hasALineForEachWithItsNameFirst() {
    Invocation list = Invocation.of("sim", "--list-bugs");

    assertThat(list.err()).isEmpty();
    assertThat(list.status()).isZero();
    assertThat(list.out().lines().map(line -> line.split(" ", 2)[0]).toList())
        .containsExactlyElementsOf(names())
        .hasSizeGreaterThanOrEqualTo(24)
        .allMatch(name -> name.matches("[a-z0-9]+(-[a-z0-9]+)*"));
  }

  @Test
  void listBugs_json_tellsInvariantAndSource() {
    Invocation list = Invocation.of("sim", "--list-bugs", "--json");

    assertThat(list.status()).isZero();
    assertThat(list.out())
        .contains("\"name\" : \"lease-freed-while-copying\"", "\"invariant\" : ", "\"source\" : ");
  }

  @Test
  void plant_unknownName_isStatusTwoWithNearNames() {
    Invocation plant = Invocation.of("sim", "--plant", "lease-freed-while-coping");

    assertThat(plant.status()).isEqualTo(2);
    assertThat(plant.out()).isEmpty();
    assertThat(plant.err())
        .startsWith(
            "orbitkv: --plant [lease-freed-while-coping] is no planted bug: did you mean"
                + " lease-freed-while-copying,")
        .endsWith("'sim --list-bugs' names all\n");
  }

  @Test
  void invariants_ofThePlantedBugs_areThoseOfTheSimulators() {
    assertThat(bugs.all())
        .allSatisfy(bug -> {
          if (bug.ofStore()) {
            assertThat(storeInvariants).contains(bug.invariant());
          } else {
            assertThat(Invariant.named(bug.invariant())).isNotNull();
          }
        });
  }

  @Test
  void table_ofTheDocumentation_hasEachInvariantAndBug() throws IOException {
    String table =
        Files.readString(Path.of(System.getProperty("basedir", "."), "../docs/invariants.md"));

    assertThat(Arrays.stream(Invariant.values()).filter(Invariant::checked))
        .allSatisfy(invariant -> assertThat(table).contains("| `" + invariant.key() + "` | "));
    assertThat(storeInvariants)
        .isNotEmpty()
        .allSatisfy(invariant -> assertThat(table).contains("| `" + invariant + "` | "));
    assertThat(bugs.all())
        .allSatisfy(bug ->
            assertThat(table).contains("| `" + bug.name() + "` | `" + bug.invariant() + "` | "));
  }

  @Test
  void invariants_allHaveAPlantedBug() {
    List<String> planted =
        bugs.all().stream().filter(bug -> !bug.ofStore()).map(PlantedBug::invariant).toList();

    assertThat(planted)
        .containsAll(
            Arrays.stream(Invariant.values())
                .filter(Invariant::checked)
                .map(Invariant::key)
                .toList());
  }

  @Test
  void controlOfTheStore_withoutAPlantedBug_passes() {
    Invocation control = Invocation.of("sim", "--store", "--seeds", "1..100", "--json");

    assertThat(control.err()).isEmpty();
    assertThat(control.out()).contains("\"violations\" : 0");
    assertThat(control.status()).isZero();
  }

  @Test
  void store_unknownScenario_isStatusTwoWithThoseThatThereAre() {
    Invocation run = Invocation.of("sim", "--store", "--scenario", "nothing");

    assertThat(run.status()).isEqualTo(2);
    assertThat(run.out()).isEmpty();
    assertThat(run.err()).contains("--scenario [nothing] is unknown: one of mixed");
  }

  @Test
  void control_withoutAPlantedBug_passes() {
    Invocation control = Invocation.of("sim", "--seeds", "1..40", "--json");

    assertThat(control.out()).contains("\"violations\" : 0");
    assertThat(control.status()).isZero();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("someNames")
  void plant_someBugsEachDay_areFound(String name) {
    isFound(name);
  }

  @Tag("full")
  @ParameterizedTest(name = "{0}")
  @MethodSource("names")
  void plant_everyBug_isFound(String name) {
    isFound(name);
  }

  private static void isFound(String name) {
    PlantedBug bug = bugs.find(name);
    assertThat(bug).isNotNull();
    Invocation plant = Invocation.of("sim", "--plant", name, "--seeds", SEEDS, "--json");

    assertThat(plant.err()).isEmpty();
    assertThat(plant.out())
        .contains("\"planted\" : \"" + name + "\"")
        .contains("\"expected_invariant\" : \"" + bug.invariant() + "\"")
        .contains("\"invariant\" : \"" + bug.invariant() + "\"");
    assertThat(plant.status()).isEqualTo(1);
  }

  static List<String> names() {
    return bugs.all().stream().map(PlantedBug::name).toList();
  }

  /** Other ones each day, so that all have their turn in ordinary builds. */
  static List<String> someNames() {
    List<String> some = new ArrayList<>(some(A_DAY, false));
    some.addAll(some(OF_STORE_A_DAY, true));
    return some;
  }

  private static List<String> some(int aDay, boolean ofStore) {
    List<String> names =
        bugs.all().stream().filter(bug -> bug.ofStore() == ofStore).map(PlantedBug::name).toList();
    long first = LocalDate.now(ZoneOffset.UTC).toEpochDay() * aDay;
    return IntStream.range(0, Math.min(aDay, names.size()))
        .mapToObj(i -> names.get(Math.floorMod(first + i, names.size())))
        .toList();
  }
}
