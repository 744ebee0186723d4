package io.orbitkv.plantedbugs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarFile;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a kernel of two classes. */
class BugCompilerTest {
  private static final String FIRST = PlantTarget.KERNEL.sources() + "io/orbitkv/kernel/First.java";

  @TempDir Path folder;

  private BugCompiler compiler;

  @BeforeEach
  void compileKernel() throws IOException {
    write(
        FIRST, "package io.orbitkv.kernel;\nclass First {\n  int one() {\n    return 1;\n  }\n}\n");
    write(
        PlantTarget.KERNEL.sources() + "io/orbitkv/kernel/Second.java",
        "package io.orbitkv.kernel;\nclass Second {\n  int two = new First().one();\n}\n");
    write(PlantTarget.KERNEL.sources() + "module-info.java", "module io.orbitkv.kernel {}\n");
    Path sources = folder.resolve(PlantTarget.KERNEL.sources());
    int status =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "--release",
                "25",
                "-g",
                "-d",
                folder.resolve("classes").toString(),
                sources.resolve("module-info.java").toString(),
                folder.resolve(FIRST).toString(),
                sources.resolve("io/orbitkv/kernel/Second.java").toString());
    assertThat(status).isZero();
    compiler = new BugCompiler(folder, folder.resolve("work"), List.of(folder.resolve("classes")));
  }

  @Test
  void plant_changedClass_isAloneInItsArchive() throws IOException {
    Path planted = Files.createDirectories(folder.resolve("planted"));
    Planter.plant(List.of(patch("a-bug", "    return 2;")), compiler, planted);

    assertThat(planted.resolve(Planter.INDEX))
        .hasContent("a-bug\tledger\tdense\tsoundness 5\twhat it does\tio.orbitkv.kernel\n");
    try (JarFile archive = new JarFile(planted.resolve("a-bug.jar").toFile())) {
      assertThat(archive.stream().map(Object::toString))
          .containsExactly("io/orbitkv/kernel/First.class");
    }
  }

  @Test
  void plant_twice_givesTheSameBytes() throws IOException {
    Path planted = Files.createDirectories(folder.resolve("planted"));
    Planter.plant(List.of(patch("a-bug", "    return 2;")), compiler, planted);
    byte[] first = Files.readAllBytes(planted.resolve("a-bug.jar"));
    Planter.plant(List.of(patch("a-bug", "    return 2;")), compiler, planted);

    assertThat(Files.readAllBytes(planted.resolve("a-bug.jar"))).isEqualTo(first);
  }

  @Test
  void compile_errorInThePatch_namesPatchAndLine() {
    assertThatThrownBy(() -> compiler.compile(patch("a-bug", "    return nothing;")))
        .isInstanceOf(PlantException.class)
        .hasMessageContaining("planted bug [a-bug]: does not compile")
        .hasMessageContaining("First.java:4");
  }

  @Test
  void plant_severalThatAreOfNoUse_namesThemAll() throws IOException {
    Path planted = Files.createDirectories(folder.resolve("planted"));

    assertThatThrownBy(() ->
            Planter.plant(
                List.of(patch("a-bug", "    return one;"), patch("b-bug", "    return 1;")),
                compiler,
                planted))
        .isInstanceOf(PlantException.class)
        .hasMessageContaining("planted bug [a-bug]: does not compile")
        .hasMessageContaining("planted bug [b-bug]: no class is different");
    assertThat(planted.resolve(Planter.INDEX)).doesNotExist();
  }

  @Test
  void compile_changeOfNothing_fails() {
    assertThatThrownBy(() -> compiler.compile(patch("a-bug", "    return 1;")))
        .isInstanceOf(PlantException.class)
        .hasMessageContaining("no class is different");
  }

  @Test
  void compile_fileOutsideTheKernel_fails() throws IOException {
    write("other/Third.java", "x\n");
    PlantedPatch patch =
        PlantedPatch.parse(
            "a-bug",
            """
            Description: what it does
            Invariant: ledger
            Source: soundness 5
            Scenario: dense

            --- a/other/Third.java
            +++ b/other/Third.java
            @@ -1,1 +1,1 @@
            -x
            +y
            """);

    assertThatThrownBy(() -> compiler.compile(patch))
        .isInstanceOf(PlantException.class)
        .hasMessageContaining("[other/Third.java] is no source below [kernel/src/main/java/]");
  }

  @Test
  void read_folder_takesPatchesByNameAndNothingElse() throws IOException {
    Path patches = Files.createDirectories(folder.resolve("patches"));
    for (String name : List.of("second-bug", "first-bug")) {
      Files.writeString(patches.resolve(name + ".patch"), text("    return 3;"));
    }
    assertThat(Planter.read(patches))
        .extracting(PlantedPatch::name)
        .containsExactly("first-bug", "second-bug");

    Files.writeString(patches.resolve("notes.txt"), "");
    assertThatThrownBy(() -> Planter.read(patches))
        .isInstanceOf(PlantException.class)
        .hasMessageContaining("[notes.txt]");
  }

  @Test
  void bugs_wereMadeBeforeTheTestsEachInItsModule() throws IOException {
    Path planted = Path.of(System.getProperty("basedir", ".")).resolve("target/planting/planted");
    List<String> index = Files.readAllLines(planted.resolve(Planter.INDEX));

    assertThat(index).isNotEmpty();
    for (String line : index) {
      String module = line.substring(line.lastIndexOf('\t') + 1);
      Path archive = planted.resolve(line.substring(0, line.indexOf('\t')) + ".jar");
      try (JarFile classes = new JarFile(archive.toFile())) {
        assertThat(classes.stream().map(Object::toString))
            .as("classes in [%s]", archive)
            .isNotEmpty()
            .allMatch(name -> name.startsWith(module.replace('.', '/') + "/"));
      }
    }
  }

  private PlantedPatch patch(String name, String line) {
    return PlantedPatch.parse(name, text(line));
  }

  private static String text(String line) {
    return """
    Description: what it does
    Invariant: ledger
    Source: soundness 5
    Scenario: dense

    --- a/kernel/src/main/java/io/orbitkv/kernel/First.java
    +++ b/kernel/src/main/java/io/orbitkv/kernel/First.java
    @@ -3,3 +3,3 @@
       int one() {
    -    return 1;
    +%s
       }
    """
        .formatted(line);
  }

  private void write(String path, String text) throws IOException {
    Path file = folder.resolve(path);
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
  }
}
