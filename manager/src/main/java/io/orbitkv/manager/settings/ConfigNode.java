package io.orbitkv.manager.settings;

import java.util.List;
import java.util.Optional;

/** One node of a configuration: a value, a list or a section, with its place. Immutable. */
public sealed interface ConfigNode {
  /** Where it was written. */
  Place place();

  /** The kind of node, for messages. */
  String kind();

  /**
   * A single value.
   *
   * @param place where it was written
   * @param text as written, without quotes; empty and not quoted when nothing was written
   * @param quoted whether it stood in quotes
   */
  record Scalar(Place place, String text, boolean quoted) implements ConfigNode {
    @Override
    public String kind() {
      return absent() ? "nothing" : "the value [" + text + "]";
    }

    /** Whether nothing was written after the key, or {@code null} or {@code ~}. */
    public boolean absent() {
      return !quoted && (text.isEmpty() || text.equals("~") || text.equals("null"));
    }
  }

  /**
   * A list.
   *
   * @param place where it begins
   * @param items in order
   */
  record Sequence(Place place, List<ConfigNode> items) implements ConfigNode {
    /** Copies the items. */
    public Sequence {
      items = List.copyOf(items);
    }

    @Override
    public String kind() {
      return "a list";
    }
  }

  /**
   * A section.
   *
   * @param place where it begins
   * @param entries in order, with distinct keys
   */
  record Mapping(Place place, List<Entry> entries) implements ConfigNode {
    /** Copies the entries. */
    public Mapping {
      entries = List.copyOf(entries);
    }

    /** A section in which nothing is set. */
    public static Mapping empty(Place place) {
      return new Mapping(place, List.of());
    }

    @Override
    public String kind() {
      return "a section";
    }

    /** The entry of a key. */
    public Optional<Entry> entry(String key) {
      return entries.stream().filter(entry -> entry.key().equals(key)).findFirst();
    }
  }

  /**
   * A key of a section and what it is set to.
   *
   * @param key as written
   * @param keyPlace where the key stands
   * @param value what it is set to
   */
  record Entry(String key, Place keyPlace, ConfigNode value) {}
}
