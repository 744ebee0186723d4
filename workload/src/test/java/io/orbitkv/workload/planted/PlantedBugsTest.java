package io.orbitkv.workload.planted;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlantedBugsTest {
  @TempDir Path home;

  @Test
  void installation_withAnIndex_hasItsBugsInOrder() throws IOException {
    Path folder = folder("one-bug", "other-bug", "far-away");
    PlantedBugs bugs = PlantedBugs.ofInstallation(home);

    assertThat(bugs.all())
        .extracting(PlantedBug::name)
        .containsExactly("one-bug", "other-bug", "far-away");
    assertThat(bugs.find("other-bug"))
        .isEqualTo(
            new PlantedBug(
                "other-bug",
                "ledger",
                "dense",
                "soundness 5",
                "what it does",
                "io.orbitkv.kernel",
                folder.resolve("other-bug.jar")));
  }

  @Test
  void unknownName_hasNearNames() throws IOException {
    folder("far-away", "one-bug", "other-bug", "something-else");
    PlantedBugs bugs = PlantedBugs.ofInstallation(home);

    assertThat(bugs.find("onebug")).isNull();
    assertThat(bugs.nearest("onebug")).startsWith("one-bug").hasSize(3);
    assertThat(bugs.nearest("else")).startsWith("something-else").hasSize(3);
    assertThat(bugs.nearest("")).hasSize(3);
  }

  @Test
  void installation_withoutIndex_saysWhatToDo() {
    assertThatThrownBy(() -> PlantedBugs.ofInstallation(home))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("index.tsv] is missing; unpack the whole archive");
  }

  @Test
  void brokenIndex_namesTheLine() throws IOException {
    Path folder = folder("one-bug");
    Files.writeString(
        folder.resolve("index.tsv"),
        "one-bug\tledger\tdense\tsoundness 5\twhat\tio.orbitkv.kernel\nhalf\n");

    assertThatThrownBy(() -> PlantedBugs.load(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("line [2]")
        .hasMessageContaining("has [1] fields");
  }

  @Test
  void indexWithoutArchive_namesTheArchive() throws IOException {
    Path folder = folder("one-bug");
    Files.delete(folder.resolve("one-bug.jar"));

    assertThatThrownBy(() -> PlantedBugs.load(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("one-bug.jar]");
  }

  private Path folder(String... names) throws IOException {
    Path folder = Files.createDirectories(home.resolve("share/planted"));
    for (String name : names) {
      Files.createFile(folder.resolve(name + ".jar"));
    }
    Files.write(
        folder.resolve("index.tsv"),
        List.of(names).stream()
            .map(name -> name + "\tledger\tdense\tsoundness 5\twhat it does\tio.orbitkv.kernel")
            .toList());
    return folder;
  }
}
