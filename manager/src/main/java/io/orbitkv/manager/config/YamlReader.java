package io.orbitkv.manager.config;

import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/*
 * The tree is made from the parser's events, not from its object model: each key and value keeps its
 * line and column, keys that are set twice are seen, and anchors, aliases and tags (which make small
 * files large or strange) never get as far as a tree.
 */

/** Reads a YAML file into a tree of nodes that know their place. */
final class YamlReader {
  private static final int LARGEST_BYTES = 1 << 20;
  private static final int DEEPEST = 32;

  private final String source;
  private final Problems problems;

  private YamlReader(String source, Problems problems) {
    this.source = source;
    this.problems = problems;
  }

  /**
   * Reads a file.
   *
   * @param problems where to note what is wrong and can be passed over
   * @throws ConfigException when it cannot be read or is not a configuration in YAML
   */
  static ConfigNode.Mapping read(Path file, Problems problems) {
    String source = file.toString();
    try {
      if (Files.isDirectory(file)) {
        throw refused(source, "is a folder, not a file: name the file in it");
      }
      if (!Files.isRegularFile(file) && Files.exists(file)) {
        throw refused(source, "is not a regular file");
      }
      if (Files.size(file) > LARGEST_BYTES) {
        throw refused(source, "is larger than [" + LARGEST_BYTES + "] bytes: no configuration is");
      }
      return parse(source, Files.readAllBytes(file), problems);
    } catch (NoSuchFileException missing) {
      throw refused(source, "does not exist: correct the path");
    } catch (IOException unreadable) {
      throw refused(source, "cannot be read: " + unreadable);
    }
  }

  /** Reads bytes that were in {@code source}. */
  static ConfigNode.Mapping parse(String source, byte[] bytes) {
    Problems problems = new Problems();
    ConfigNode.Mapping root = parse(source, bytes, problems);
    problems.throwIfAny();
    return root;
  }

  private static ConfigNode.Mapping parse(String source, byte[] bytes, Problems problems) {
    String text;
    try {
      text =
          StandardCharsets.UTF_8
              .newDecoder()
              .onMalformedInput(CodingErrorAction.REPORT)
              .onUnmappableCharacter(CodingErrorAction.REPORT)
              .decode(ByteBuffer.wrap(bytes))
              .toString();
    } catch (CharacterCodingException notText) {
      throw refused(source, "is not text in UTF-8");
    }
    return new YamlReader(source, problems).document(text);
  }

  private static ConfigException refused(String where, String message) {
    return new ConfigException(List.of(new ConfigProblem(where, "", message)));
  }

  private ConfigNode.Mapping document(String text) {
    LoadSettings settings = LoadSettings.builder().setLabel(source).setUseMarks(true).build();
    Place start = new Place(source, 1, 1);
    try {
      Iterator<Event> events = new ParserImpl(settings, new StreamReader(settings, text));
      events.next(); // The start of the stream.
      Event first = events.next();
      if (first.getEventId() == Event.ID.StreamEnd) {
        return ConfigNode.Mapping.empty(start);
      }
      ConfigNode root = node(events.next(), events, "", 0);
      events.next(); // The end of the document.
      Event after = events.next();
      if (after.getEventId() != Event.ID.StreamEnd) {
        throw stop(place(after), "", "a second document begins: one file is one configuration");
      }
      return switch (root) {
        case ConfigNode.Mapping mapping -> mapping;
        case ConfigNode.Scalar scalar when scalar.absent() -> ConfigNode.Mapping.empty(start);
        case ConfigNode.Scalar _, ConfigNode.Sequence _ ->
            throw stop(
                root.place(), "", root.kind() + " stands where keys are expected, such as memory:");
      };
    } catch (MarkedYamlEngineException broken) {
      Place place = broken.getProblemMark().map(this::place).orElse(start);
      throw stop(place, "", "this is not YAML: " + broken.getProblem());
    } catch (ConfigException told) {
      throw told;
    } catch (RuntimeException broken) {
      // The library throws more kinds than it documents; each means that the text is not YAML.
      throw stop(start, "", "this is not YAML: " + broken.getMessage());
    }
  }

  private ConfigException stop(Place place, String key, String message) {
    problems.add(place, key, message);
    try {
      problems.throwIfAny();
    } catch (ConfigException all) {
      return all;
    }
    throw new AssertionError("a problem was noted");
  }

  private ConfigNode node(Event event, Iterator<Event> events, String key, int depth) {
    Place place = place(event);
    if (depth > DEEPEST) {
      throw stop(place, "", "sections are nested deeper than [" + DEEPEST + "]");
    }
    if (event instanceof AliasEvent) {
      throw stop(place, key, "aliases are not supported: write the value out");
    }
    if (event instanceof NodeEvent anchored && anchored.getAnchor().isPresent()) {
      throw stop(place, key, "anchors are not supported: write the value out");
    }
    if (tag(event).isPresent()) {
      throw stop(place, key, "the tag [" + tag(event).orElse("") + "] is not supported");
    }
    return switch (event) {
      case ScalarEvent scalar -> new ConfigNode.Scalar(place, scalar.getValue(), !scalar.isPlain());
      case SequenceStartEvent _ -> sequence(place, events, key, depth);
      case MappingStartEvent _ -> mapping(place, events, key, depth);
      default -> throw stop(place, key, "this is not YAML: unexpected [" + event + "]");
    };
  }

  private ConfigNode sequence(Place place, Iterator<Event> events, String key, int depth) {
    List<ConfigNode> items = new ArrayList<>();
    for (Event next = events.next();
        next.getEventId() != Event.ID.SequenceEnd;
        next = events.next()) {
      items.add(node(next, events, key, depth + 1));
    }
    return new ConfigNode.Sequence(place, items);
  }

  private ConfigNode mapping(Place place, Iterator<Event> events, String key, int depth) {
    List<ConfigNode.Entry> entries = new ArrayList<>();
    Map<String, Place> seen = new HashMap<>();
    for (Event next = events.next();
        next.getEventId() != Event.ID.MappingEnd;
        next = events.next()) {
      ConfigNode name = node(next, events, key, depth + 1);
      String child =
          name instanceof ConfigNode.Scalar scalar ? join(key, scalar.text()) : join(key, "?");
      ConfigNode value = node(events.next(), events, child, depth + 1);
      if (!(name instanceof ConfigNode.Scalar scalar)) {
        problems.add(name.place(), key, name.kind() + " stands where a key is expected");
        continue;
      }
      Place before = seen.putIfAbsent(scalar.text(), name.place());
      if (before != null) {
        problems.add(
            name.place(),
            child,
            "is set twice: first on line [" + before.line() + "]; keep one of them");
        continue;
      }
      entries.add(new ConfigNode.Entry(scalar.text(), name.place(), value));
    }
    return new ConfigNode.Mapping(place, entries);
  }

  private static String join(String key, String child) {
    return key.isEmpty() ? child : key + "." + child;
  }

  private static Optional<String> tag(Event event) {
    return switch (event) {
      case ScalarEvent scalar -> scalar.getTag();
      case CollectionStartEvent collection -> collection.getTag();
      default -> Optional.empty();
    };
  }

  private Place place(Event event) {
    return event.getStartMark().map(this::place).orElse(new Place(source, 1, 1));
  }

  private Place place(Mark mark) {
    return new Place(source, mark.getLine() + 1, mark.getColumn() + 1);
  }
}
