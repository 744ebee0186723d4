package io.orbitkv.plantedbugs;

import com.github.difflib.patch.AbstractDelta;
import com.github.difflib.patch.Chunk;
import com.github.difflib.unifieddiff.UnifiedDiff;
import com.github.difflib.unifieddiff.UnifiedDiffFile;
import com.github.difflib.unifieddiff.UnifiedDiffReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A patch file: a header of {@code Name: value} lines, an empty line, then a unified diff whose
 * paths begin at the root of the tree, so that {@code git apply} takes it too.
 *
 * @param name name of the file without its ending
 * @param description what the bug does, in one line
 * @param invariant name of the invariant that it violates
 * @param origin where the bug comes from
 * @param scenario of the simulator, in which it is found soonest
 * @param target the module that it changes: the kernel when no line {@code Module} says otherwise
 * @param hunks lines to be replaced, by path, then in order
 */
record PlantedPatch(
    String name,
    String description,
    String invariant,
    String origin,
    String scenario,
    PlantTarget target,
    Map<String, List<Hunk>> hunks) {
  static final String ENDING = ".patch";

  private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
  private static final List<String> FIELDS =
      List.of("Description", "Invariant", "Source", "Scenario");

  /** May follow them. */
  private static final String MODULE = "Module";

  /**
   * A place of one file.
   *
   * @param before the lines that must be there, exactly and once
   * @param after the lines that take their place
   */
  record Hunk(List<String> before, List<String> after) {}

  /** Reads a file. */
  static PlantedPatch read(Path file) throws IOException {
    String name = file.getFileName().toString().replace(ENDING, "");
    return parse(name, Files.readString(file));
  }

  /**
   * @throws PlantException when it is not of the form above
   */
  static PlantedPatch parse(String name, String text) {
    if (!NAME.matcher(name).matches()) {
      throw new PlantException(name, "a name is of small letters, digits and single hyphens");
    }
    int end = text.indexOf("\n\n");
    if (end < 0) {
      throw new PlantException(name, "no empty line after the header of " + FIELDS);
    }
    Map<String, String> header = header(name, text.substring(0, end));
    return new PlantedPatch(
        name,
        header.getOrDefault("Description", ""),
        header.getOrDefault("Invariant", ""),
        header.getOrDefault("Source", ""),
        header.getOrDefault("Scenario", ""),
        target(name, header.getOrDefault(MODULE, PlantTarget.KERNEL.module())),
        hunks(name, text.substring(end + 2)));
  }

  private static Map<String, String> header(String name, String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    for (String line : text.lines().toList()) {
      int colon = line.indexOf(": ");
      if (colon < 0 || line.indexOf('\t') >= 0) {
        throw new PlantException(name, "[" + line + "] in the header is no 'Name: value'");
      }
      fields.put(line.substring(0, colon), line.substring(colon + 2).strip());
    }
    List<String> given = new ArrayList<>(fields.keySet());
    if (given.size() > FIELDS.size() && given.getLast().equals(MODULE)) {
      given.removeLast();
    }
    if (!given.equals(FIELDS) || fields.containsValue("")) {
      throw new PlantException(
          name,
          "the header has "
              + fields.keySet()
              + ": must be "
              + FIELDS
              + " and perhaps ["
              + MODULE
              + "], each with a value");
    }
    return fields;
  }

  private static PlantTarget target(String name, String module) {
    PlantTarget target = PlantTarget.named(module);
    if (target == null) {
      throw new PlantException(
          name,
          "module ["
              + module
              + "] is none of "
              + PlantTarget.ALL.stream().map(PlantTarget::module).toList());
    }
    return target;
  }

  private static Map<String, List<Hunk>> hunks(String name, String diff) {
    UnifiedDiff parsed;
    try {
      parsed =
          UnifiedDiffReader.parseUnifiedDiff(
              new ByteArrayInputStream(diff.getBytes(StandardCharsets.UTF_8)));
    } catch (IOException | RuntimeException malformed) {
      throw new PlantException(name, "no unified diff: " + malformed.getMessage());
    }
    Map<String, List<Hunk>> hunks = new TreeMap<>();
    for (UnifiedDiffFile file : parsed.getFiles()) {
      String path = file.getFromFile();
      if (path == null || !path.equals(file.getToFile())) {
        throw new PlantException(name, "files are changed only, not made, removed or renamed");
      }
      List<Hunk> ofFile = new ArrayList<>();
      for (AbstractDelta<String> delta : file.getPatch().getDeltas()) {
        ofFile.add(new Hunk(lines(delta.getSource()), lines(delta.getTarget())));
      }
      if (ofFile.isEmpty() || hunks.put(path, ofFile) != null) {
        throw new PlantException(name, "[" + path + "] is changed nowhere, or in two parts");
      }
    }
    if (hunks.isEmpty()) {
      throw new PlantException(name, "changes nothing");
    }
    return hunks;
  }

  private static List<String> lines(Chunk<String> chunk) {
    return List.copyOf(chunk.getLines());
  }

  /**
   * The changed lines of a file. Line numbers do not count; the lines of each hunk, context
   * included, must be there exactly as they are written, once, and after the hunk before.
   *
   * @throws PlantException when the patch does not apply
   */
  List<String> apply(String path, List<String> original) {
    List<String> changed = new ArrayList<>(original);
    int from = 0;
    for (Hunk hunk : hunks.getOrDefault(path, List.of())) {
      int place = Collections.indexOfSubList(changed.subList(from, changed.size()), hunk.before());
      if (place < 0) {
        throw doesNotApply(path, hunk, "is not there");
      }
      if (Collections.lastIndexOfSubList(original, hunk.before())
          != Collections.indexOfSubList(original, hunk.before())) {
        throw doesNotApply(path, hunk, "is there more than once: add lines around it");
      }
      List<String> replaced = changed.subList(from + place, from + place + hunk.before().size());
      replaced.clear();
      replaced.addAll(hunk.after());
      from += place + hunk.after().size();
    }
    return changed;
  }

  private PlantException doesNotApply(String path, Hunk hunk, String problem) {
    return new PlantException(
        name,
        "the patch no longer applies: in ["
            + path
            + "] this place "
            + problem
            + ":\n"
            + String.join("\n", hunk.before()));
  }
}
