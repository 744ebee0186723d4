package io.orbitkv.plantedbugs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Makes the folder of planted bugs: one archive a bug with the changed classes, and an index with a
 * line a bug: name, invariant, scenario, origin, description and module, between tabulators.
 */
final class Planter {
  static final String INDEX = "index.tsv";

  /** Of all entries, so that the same sources give the same bytes. */
  private static final LocalDateTime TIME = LocalDateTime.of(2026, 1, 1, 0, 0);

  private Planter() {}

  /** The patches of a folder, by name. */
  static List<PlantedPatch> read(Path folder) throws IOException {
    List<PlantedPatch> patches = new ArrayList<>();
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.sorted().toList()) {
        if (!file.toString().endsWith(PlantedPatch.ENDING)) {
          throw new PlantException(file.getFileName().toString(), "is no patch");
        }
        patches.add(PlantedPatch.read(file));
      }
    }
    return patches;
  }

  /**
   * Writes archives and index into an existing folder.
   *
   * @throws PlantException that names all patches which do not apply or compile
   */
  static void plant(List<PlantedPatch> patches, BugCompiler compiler, Path folder)
      throws IOException {
    Map<String, PlantException> problems = new ConcurrentSkipListMap<>();
    try {
      patches.parallelStream()
          .forEach(patch -> {
            try {
              Files.write(folder.resolve(patch.name() + ".jar"), archive(compiler.compile(patch)));
            } catch (PlantException problem) {
              problems.put(patch.name(), problem);
            } catch (IOException failure) {
              throw new UncheckedIOException(failure);
            }
          });
    } catch (UncheckedIOException failure) {
      throw failure.getCause();
    }
    if (!problems.isEmpty()) {
      throw new PlantException(problems.values());
    }
    List<String> index = new ArrayList<>();
    for (PlantedPatch patch : patches) {
      index.add(
          String.join(
              "\t",
              patch.name(),
              patch.invariant(),
              patch.scenario(),
              patch.origin(),
              patch.description(),
              patch.target().module()));
    }
    Files.write(folder.resolve(INDEX), index);
  }

  private static byte[] archive(Map<String, byte[]> classes) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JarOutputStream archive = new JarOutputStream(bytes)) {
      for (Map.Entry<String, byte[]> type : classes.entrySet()) {
        JarEntry entry = new JarEntry(type.getKey());
        entry.setTimeLocal(TIME);
        archive.putNextEntry(entry);
        archive.write(type.getValue());
        archive.closeEntry();
      }
    }
    return bytes.toByteArray();
  }
}
