package io.orbitkv.workload.planted;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The planted bugs of an installation: an index with a line a bug, and an archive a bug. */
public final class PlantedBugs {
  private static final String INDEX = "index.tsv";
  private static final int NEAREST = 3;
  private static final int FIELDS = 6;

  private final List<PlantedBug> bugs;

  private PlantedBugs(List<PlantedBug> bugs) {
    this.bugs = bugs;
  }

  /**
   * Those of an installation.
   *
   * @param home its folder
   * @throws IOException when it has none, or their index is broken; the message is for the user
   */
  public static PlantedBugs ofInstallation(Path home) throws IOException {
    return load(home.resolve("share").resolve("planted"));
  }

  /**
   * Those of a folder.
   *
   * @throws IOException when it has none, or their index is broken; the message is for the user
   */
  public static PlantedBugs load(Path folder) throws IOException {
    Path index = folder.resolve(INDEX);
    List<PlantedBug> bugs = new ArrayList<>();
    for (String line : lines(index)) {
      String[] fields = line.split("\t", -1);
      if (fields.length != FIELDS) {
        throw new IOException(
            "line ["
                + (bugs.size() + 1)
                + "] of ["
                + index
                + "] has ["
                + fields.length
                + "] fields, not "
                + FIELDS
                + ": unpack the whole archive again");
      }
      Path archive = folder.resolve(fields[0] + ".jar");
      if (!Files.isRegularFile(archive)) {
        throw new IOException(
            "no archive [" + archive + "] of a planted bug: unpack the whole archive again");
      }
      bugs.add(
          new PlantedBug(
              fields[0], fields[1], fields[2], fields[3], fields[4], fields[5], archive));
    }
    return new PlantedBugs(List.copyOf(bugs));
  }

  private static List<String> lines(Path index) throws IOException {
    try {
      return Files.readAllLines(index);
    } catch (NoSuchFileException missing) {
      throw new IOException(
          "no planted bugs here: [" + index + "] is missing; unpack the whole archive", missing);
    }
  }

  /** All of them, by name. */
  public List<PlantedBug> all() {
    return bugs;
  }

  /** The bug of that name, or null. */
  public @Nullable PlantedBug find(String name) {
    return bugs.stream().filter(bug -> bug.name().equals(name)).findFirst().orElse(null);
  }

  /** Names that somebody may have meant: those that contain the name, then the nearest. */
  public List<String> nearest(String name) {
    return bugs.stream()
        .map(PlantedBug::name)
        .sorted(
            Comparator.comparing((String other) -> !other.contains(name))
                .thenComparingInt(other -> distance(name, other)))
        .limit(NEAREST)
        .toList();
  }

  /** Of Levenshtein: letters put in, left out or changed. */
  private static int distance(String left, String right) {
    int[] row = new int[right.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= left.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int changed = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(changed, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[right.length()];
  }
}
