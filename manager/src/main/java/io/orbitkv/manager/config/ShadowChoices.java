package io.orbitkv.manager.config;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.policy.ShadowPlan;
import io.orbitkv.manager.settings.BoundValue;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Nearest;
import io.orbitkv.manager.settings.Origin;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.manager.settings.SettingsBinder;
import io.orbitkv.manager.settings.Share;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads {@code policies.shadow}: policies by slot that are to run in miniature beside those that
 * serve. Immutable.
 *
 * @param section what they may cost
 * @param shadows in the order of the slots; none for no shadows
 * @param values of the section
 */
public record ShadowChoices(
    ShadowSection section, List<PolicyChoice> shadows, List<BoundValue> values) {
  /** The section's name below {@code policies}. */
  static final String NAME = "shadow";

  /** The section's key. */
  static final String KEY = PolicyChoices.KEY + "." + NAME;

  private static final Set<String> SETTINGS = Set.of("sample", "memory");

  /** Copies the lists. */
  public ShadowChoices {
    shadows = List.copyOf(shadows);
    values = List.copyOf(values);
  }

  static ShadowChoices of(Optional<ConfigNode.Entry> entry, Problems problems) {
    ConfigNode.Mapping written = null;
    if (entry.isPresent()) {
      switch (entry.get().value()) {
        case ConfigNode.Mapping mapping -> written = mapping;
        case ConfigNode.Scalar scalar when scalar.absent() -> {}
        case ConfigNode.Scalar _, ConfigNode.Sequence _ -> {
          ConfigNode value = entry.get().value();
          problems.add(
              value.place(),
              KEY,
              value.kind()
                  + " stands where a section is expected, such as {retention: {dram:"
                  + " [lru]}}");
        }
      }
    }
    return new Reader(problems).read(written);
  }

  /** Lines of {@code config show}: what it may cost, and the shadows of each slot that has some. */
  List<ShownValue> shown() {
    List<ShownValue> shown = new ArrayList<>();
    for (BoundValue value : values) {
      shown.add(new ShownValue(value.info().key(), value.text(), value.origin(), value.text(), ""));
    }
    for (PolicySlot slot : PolicySlot.values()) {
      List<PolicyChoice> own = shadows.stream().filter(each -> each.slot() == slot).toList();
      if (!own.isEmpty()) {
        String names = "[" + String.join(", ", own.stream().map(PolicyChoice::name).toList()) + "]";
        shown.add(
            new ShownValue(
                KEY + "." + slot.key(), names, Origin.of(own.getFirst().place()), names, ""));
      }
    }
    return shown;
  }

  private static final class Reader {
    private final Problems problems;
    private final List<PolicyChoice> shadows = new ArrayList<>();

    Reader(Problems problems) {
      this.problems = problems;
    }

    ShadowChoices read(ConfigNode.@Nullable Mapping written) {
      SettingsBinder binder = new SettingsBinder(Map.of(), problems);
      ShadowSection section = binder.section(ShadowSection.class, settings(written), KEY + ".");
      if (written != null) {
        if (section != null && !(section.sample() instanceof Share.Percent)) {
          noShare(written.entry("sample").map(ConfigNode.Entry::value).orElse(written));
        }
        level(written, "");
        tooMany(written);
      }
      return new ShadowChoices(
          section == null ? ShadowSection.DEFAULT : section, shadows, binder.values());
    }

    /** As it was written, since what was understood of it may be a size of no bytes. */
    private void noShare(ConfigNode value) {
      String text =
          switch (value) {
            case ConfigNode.Scalar scalar -> scalar.text();
            case ConfigNode.Sequence _, ConfigNode.Mapping _ -> value.kind();
          };
      problems.add(
          value.place(),
          KEY + ".sample",
          "[" + text + "] is no share: write a percentage such as 25%");
    }

    private static ConfigNode.@Nullable Mapping settings(ConfigNode.@Nullable Mapping written) {
      return written == null
          ? null
          : new ConfigNode.Mapping(
              written.place(),
              written.entries().stream().filter(each -> SETTINGS.contains(each.key())).toList());
    }

    private void level(ConfigNode.Mapping section, String above) {
      for (ConfigNode.Entry entry : section.entries()) {
        String path = above.isEmpty() ? entry.key() : above + "." + entry.key();
        if (above.isEmpty() && SETTINGS.contains(path)) {
          continue;
        }
        PolicySlot slot = slot(path);
        if (slot != null) {
          slot(slot, entry);
        } else if (isSection(path)) {
          if (entry.value() instanceof ConfigNode.Mapping mapping) {
            level(mapping, path);
          } else {
            problems.add(
                entry.value().place(),
                KEY + "." + path,
                entry.value().kind()
                    + " stands where a section is expected, such as {dram:"
                    + " [lru]}");
          }
        } else {
          problems.add(
              entry.keyPlace(),
              KEY + "." + path,
              "["
                  + entry.key()
                  + "] is neither a slot nor a setting here: "
                  + Nearest.suggestion(entry.key(), known(above)));
        }
      }
    }

    private static @Nullable PolicySlot slot(String path) {
      for (PolicySlot slot : PolicySlot.values()) {
        if (slot.key().equals(path)) {
          return slot;
        }
      }
      return null;
    }

    private static boolean isSection(String path) {
      return ShadowPlan.SLOTS.stream().anyMatch(slot -> slot.key().startsWith(path + "."));
    }

    private static Set<String> known(String above) {
      Set<String> known = new LinkedHashSet<>();
      String prefix = above.isEmpty() ? "" : above + ".";
      for (PolicySlot slot : ShadowPlan.SLOTS) {
        if (slot.key().startsWith(prefix)) {
          String rest = slot.key().substring(prefix.length());
          known.add(rest.contains(".") ? rest.substring(0, rest.indexOf('.')) : rest);
        }
      }
      if (above.isEmpty()) {
        known.addAll(SETTINGS);
      }
      return known;
    }

    private void slot(PolicySlot slot, ConfigNode.Entry entry) {
      String key = KEY + "." + slot.key();
      if (!ShadowPlan.SLOTS.contains(slot)) {
        problems.add(
            entry.keyPlace(),
            key,
            "["
                + slot.key()
                + "] has no shadows: what a policy there is worth shows in times, not in keys;"
                + " compare it with `orbitkv ab`");
        return;
      }
      List<PolicyChoice> named =
          entry.value() instanceof ConfigNode.Sequence sequence
              ? sequence.items().stream()
                  .flatMap(item -> PolicyChoices.one(slot, item, key, problems).stream())
                  .toList()
              : PolicyChoices.one(slot, entry.value(), key, problems);
      if (named.size() > ShadowPlan.MOST_OF_A_SLOT) {
        problems.add(
            entry.keyPlace(),
            key,
            "names ["
                + named.size()
                + "] shadows: at most ["
                + ShadowPlan.MOST_OF_A_SLOT
                + "] of a slot; leave some out");
      }
      shadows.addAll(named);
    }

    private void tooMany(ConfigNode.Mapping written) {
      if (shadows.size() > ShadowPlan.MOST) {
        problems.add(
            written.place(),
            KEY,
            "names ["
                + shadows.size()
                + "] shadows: at most ["
                + ShadowPlan.MOST
                + "] in all; leave some out");
      }
      shadows.sort(Comparator.comparing(PolicyChoice::slot));
    }
  }
}
