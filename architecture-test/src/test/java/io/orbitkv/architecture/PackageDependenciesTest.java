package io.orbitkv.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.Location;
import java.net.URI;
import java.nio.file.Files;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Inside the modules: no two packages need each other, and a few packages of the platform are kept
 * out.
 */
class PackageDependenciesTest {
  private static JavaClasses classes;

  private static Set<Location> locations() {
    // A folder of classes after "mvn test", a jar after "mvn package".
    return Modules.ofClassPath().locations().stream()
        .map(path ->
            Files.isDirectory(path)
                ? Location.of(path)
                : Location.of(URI.create("jar:" + path.toUri() + "!/")))
        .collect(Collectors.toSet());
  }

  @BeforeAll
  static void readClasses() {
    classes = new ClassFileImporter().importLocations(locations());
  }

  @Test
  void classes_areFoundInEveryModule() {
    for (String module : Modules.ofClassPath().names()) {
      assertThat(classes)
          .as("classes of [%s]", module)
          .anyMatch(type -> type.getPackageName().startsWith(module));
    }
  }

  @Test
  void packages_formNoCycle() {
    slices()
        .matching("io.orbitkv.(**)")
        .namingSlices("io.orbitkv.$1")
        .should()
        .beFreeOfCycles()
        .check(classes);
  }

  @Test
  void kernel_startsNoThreadReadsNoClockOpensNoFile() {
    noClasses()
        .that()
        .resideInAPackage("io.orbitkv.kernel..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.nio.file..", "java.net..", "java.nio.channels..")
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(Thread.class, java.time.Clock.class, java.io.File.class)
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(java.time.Instant.class, "now")
        .because("the simulator replays it exactly: time, chance and the outside are handed to it")
        .check(classes);
  }

  @Test
  void nobody_reachesForUnsafeMemory() {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveFullyQualifiedName("sun.misc.Unsafe")
        .check(classes);
  }
}
