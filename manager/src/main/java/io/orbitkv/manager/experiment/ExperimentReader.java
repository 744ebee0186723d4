package io.orbitkv.manager.experiment;

import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Durations;
import io.orbitkv.manager.settings.Nearest;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the section {@code ab}. Notes everything that is wrong, with its place. */
public final class ExperimentReader {
  /** The section's key. */
  public static final String KEY = "ab";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final List<String> KEYS =
      List.of("name", "variants", "assign", "primary", "guards", "live");
  private static final List<String> ASSIGN = List.of("by", "isolation", "split", "salt", "slot");
  private static final List<String> LIVE =
      List.of("for", "aa", "block", "short-blocks", "fallbacks");
  private static final List<String> PRIMARY = List.of("measure", "margin");
  private static final List<String> VARIANTS = List.of("A", "B");

  private final Problems problems;

  private ExperimentReader(Problems problems) {
    this.problems = problems;
  }

  /**
   * Reads a section.
   *
   * @param ab the section
   * @param problems where to note what is wrong; the plan is of use when nothing is
   */
  public static ExperimentPlan read(ConfigNode.Mapping ab, Problems problems) {
    return new ExperimentReader(problems).plan(ab);
  }

  private ExperimentPlan plan(ConfigNode.Mapping ab) {
    refuseUnknown(ab, KEY, KEYS);
    ConfigNode.Mapping variants = section(ab, KEY, "variants");
    if (ab.entry("variants").isEmpty()) {
      problems.add(ab.place(), KEY, "has no variants: write variants: {A: {}, B: {…}}");
    }
    refuseUnknown(variants, KEY + ".variants", VARIANTS);
    ConfigNode.Mapping assign = section(ab, KEY, "assign");
    refuseUnknown(assign, KEY + ".assign", ASSIGN);
    ConfigNode.Mapping guards = section(ab, KEY, "guards");
    return new ExperimentPlan(
        name(ab),
        section(variants, KEY + ".variants", "A"),
        section(variants, KEY + ".variants", "B"),
        assignment(assign),
        ab.entry("assign").map(ConfigNode.Entry::keyPlace).orElse(ab.place()),
        primary(section(ab, KEY, "primary"), ab.entry("primary").isPresent()),
        guards(guards),
        live(section(ab, KEY, "live")));
  }

  private LiveTerms live(ConfigNode.Mapping live) {
    String key = KEY + ".live";
    refuseUnknown(live, key, LIVE);
    LiveTerms byDefault = LiveTerms.DEFAULT;
    String fallbacks = text(live, key, "fallbacks", "0%");
    double share = 0;
    try {
      share = share(fallbacks);
    } catch (IllegalArgumentException problem) {
      problems.add(place(live, "fallbacks"), key + ".fallbacks", message(problem));
    }
    String shorter = text(live, key, "short-blocks", "false");
    if (!shorter.equals("true") && !shorter.equals("false")) {
      problems.add(
          place(live, "short-blocks"),
          key + ".short-blocks",
          "[" + shorter + "] is neither true nor false");
    }
    return new LiveTerms(
        duration(live, key, "for"),
        duration(live, key, "aa"),
        duration(live, key, "block").orElse(byDefault.block()),
        shorter.equals("true"),
        share);
  }

  /**
   * A share such as {@code 0.1%}, as a number from 0 to 1.
   *
   * @throws IllegalArgumentException when it is none
   */
  public static double share(String text) {
    String form = text.strip();
    if (form.endsWith("%")) {
      try {
        double share = Double.parseDouble(form.substring(0, form.length() - 1).strip()) / 100;
        if (share >= 0 && share <= 1) {
          return share;
        }
      } catch (NumberFormatException noNumber) {
        // Told below.
      }
    }
    throw new IllegalArgumentException(
        "[" + text + "] is no share: write 0% to 100%, such as 0.1%");
  }

  private Optional<Duration> duration(ConfigNode.Mapping section, String key, String name) {
    if (section.entry(name).isEmpty()) {
      return Optional.empty();
    }
    try {
      Duration read = Durations.parse(text(section, key, name, ""));
      if (read.isPositive()) {
        return Optional.of(read);
      }
      problems.add(place(section, name), key + "." + name, "must be longer than nothing");
    } catch (IllegalArgumentException problem) {
      problems.add(place(section, name), key + "." + name, message(problem));
    }
    return Optional.empty();
  }

  private static String message(IllegalArgumentException problem) {
    return String.valueOf(problem.getMessage());
  }

  private String name(ConfigNode.Mapping ab) {
    String name = text(ab, KEY, "name", "experiment");
    if (!NAME.matcher(name).matches()) {
      problems.add(
          place(ab, "name"),
          KEY + ".name",
          "[" + name + "] is no name: letters, digits, dots, dashes and underscores, at most 64");
    }
    return name;
  }

  private Assignment assignment(ConfigNode.Mapping assign) {
    Assignment byDefault = Assignment.DEFAULT;
    String key = KEY + ".assign";
    Assignment.By by = choice(assign, key, "by", Assignment.By.values(), byDefault.by());
    Isolation isolation =
        choice(assign, key, "isolation", Isolation.values(), byDefault.isolation());
    long salt = salt(assign, key, byDefault.salt());
    Duration slot = byDefault.slot();
    Optional<ConfigNode.Entry> written = assign.entry("slot");
    if (written.isPresent()) {
      try {
        slot = Durations.parse(text(assign, key, "slot", ""));
      } catch (IllegalArgumentException problem) {
        problems.add(place(assign, "slot"), key + ".slot", String.valueOf(problem.getMessage()));
      }
      if (isolation != Isolation.TIME) {
        problems.add(place(assign, "slot"), key + ".slot", "is for isolation: time; leave it out");
      }
    }
    return new Assignment(by, isolation, split(assign, key, byDefault.percentOfA()), salt, slot);
  }

  private int split(ConfigNode.Mapping assign, String key, int byDefault) {
    Optional<ConfigNode.Entry> entry = assign.entry("split");
    if (entry.isEmpty()) {
      return byDefault;
    }
    String problem = "must be two shares of 100, each at least 1, such as [50, 50]";
    if (entry.get().value() instanceof ConfigNode.Sequence sequence
        && sequence.items().size() == 2
        && sequence.items().get(0) instanceof ConfigNode.Scalar a
        && sequence.items().get(1) instanceof ConfigNode.Scalar b) {
      try {
        int ofA = Integer.parseInt(a.text());
        int ofB = Integer.parseInt(b.text());
        if (ofA >= 1 && ofB >= 1 && ofA + ofB == 100) {
          return ofA;
        }
      } catch (NumberFormatException noNumber) {
        // Told below.
      }
      problem = "[" + a.text() + ", " + b.text() + "] " + problem;
    }
    problems.add(entry.get().value().place(), key + ".split", problem);
    return byDefault;
  }

  private long salt(ConfigNode.Mapping assign, String key, long byDefault) {
    String text = text(assign, key, "salt", Long.toString(byDefault));
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException noNumber) {
      problems.add(place(assign, "salt"), key + ".salt", "[" + text + "] is not a whole number");
      return byDefault;
    }
  }

  private Optional<Relative> primary(ConfigNode.Mapping primary, boolean given) {
    refuseUnknown(primary, KEY + ".primary", PRIMARY);
    if (!given) {
      return Optional.empty();
    }
    if (primary.entry("measure").isEmpty()) {
      problems.add(primary.place(), KEY + ".primary", "names no measure: write measure: ttft.mean");
    }
    return Optional.of(
        new Relative(
            text(primary, KEY + ".primary", "measure", ""),
            text(primary, KEY + ".primary", "margin", "2%"),
            place(primary, "measure")));
  }

  private List<Relative> guards(ConfigNode.Mapping guards) {
    List<Relative> list = new ArrayList<>();
    for (ConfigNode.Entry entry : guards.entries()) {
      String limit = text(guards, KEY + ".guards", entry.key(), "");
      list.add(new Relative(entry.key(), limit, entry.keyPlace()));
    }
    return list;
  }

  private <E extends Enum<E>> E choice(
      ConfigNode.Mapping section, String key, String name, E[] values, E byDefault) {
    String text = text(section, key, name, key(byDefault));
    for (E value : values) {
      if (key(value).equals(text)) {
        return value;
      }
    }
    problems.add(
        place(section, name),
        key + "." + name,
        "["
            + text
            + "] is none of "
            + String.join(", ", Arrays.stream(values).map(ExperimentReader::key).toList()));
    return byDefault;
  }

  private static String key(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }

  /** A section below; an empty one when it is not there or is something else. */
  private ConfigNode.Mapping section(ConfigNode.Mapping above, String key, String name) {
    @Nullable ConfigNode node = above.entry(name).map(ConfigNode.Entry::value).orElse(null);
    return switch (node) {
      case null -> ConfigNode.Mapping.empty(above.place());
      case ConfigNode.Mapping mapping -> mapping;
      case ConfigNode.Scalar scalar when scalar.absent() ->
          ConfigNode.Mapping.empty(scalar.place());
      case ConfigNode.Scalar _, ConfigNode.Sequence _ -> {
        problems.add(
            node.place(), key + "." + name, node.kind() + " stands where a section is expected");
        yield ConfigNode.Mapping.empty(node.place());
      }
    };
  }

  private String text(ConfigNode.Mapping section, String key, String name, String byDefault) {
    @Nullable ConfigNode node = section.entry(name).map(ConfigNode.Entry::value).orElse(null);
    return switch (node) {
      case null -> byDefault;
      case ConfigNode.Scalar scalar when !scalar.absent() -> scalar.text();
      case ConfigNode.Scalar scalar -> {
        problems.add(scalar.place(), key + "." + name, "has no value");
        yield byDefault;
      }
      case ConfigNode.Mapping _, ConfigNode.Sequence _ -> {
        problems.add(
            node.place(), key + "." + name, node.kind() + " stands where a value is expected");
        yield byDefault;
      }
    };
  }

  private void refuseUnknown(ConfigNode.Mapping section, String key, List<String> known) {
    for (ConfigNode.Entry entry : section.entries()) {
      if (!known.contains(entry.key())) {
        problems.add(
            entry.keyPlace(),
            key + "." + entry.key(),
            "is unknown: " + Nearest.suggestion(entry.key(), known));
      }
    }
  }

  private static Place place(ConfigNode.Mapping section, String name) {
    return section.entry(name).map(entry -> entry.value().place()).orElse(section.place());
  }
}
