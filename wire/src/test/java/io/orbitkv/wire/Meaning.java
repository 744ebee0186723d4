package io.orbitkv.wire;

import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.GroupRule;
import java.lang.reflect.RecordComponent;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** A message as JSON, so that another language can say what it made of a frame. */
final class Meaning {
  static final JsonMapper MAPPER = JsonMapper.builder().build();

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private Meaning() {}

  /** As text, in which numbers of different widths are equal when their digits are. */
  static String text(Record message) {
    return MAPPER.writeValueAsString(of(message));
  }

  static JsonNode of(@Nullable Object value) {
    return switch (value) {
      case null -> NODES.nullNode();
      case Integer number -> NODES.numberNode(number);
      case Long number -> NODES.numberNode(number);
      case Boolean flag -> NODES.booleanNode(flag);
      case String text -> NODES.stringNode(text);
      case Enum<?> constant -> NODES.stringNode(constant.name());
      case byte[] bytes -> NODES.stringNode(HexFormat.of().formatHex(bytes));
      case int[] numbers -> {
        ArrayNode list = NODES.arrayNode();
        for (int number : numbers) {
          list.add(number);
        }
        yield list;
      }
      case long[] numbers -> {
        ArrayNode list = NODES.arrayNode();
        for (long number : numbers) {
          list.add(number);
        }
        yield list;
      }
      case List<?> values -> {
        ArrayNode list = NODES.arrayNode();
        values.forEach(element -> list.add(of(element)));
        yield list;
      }
      case Record message -> ofRecord(message);
      default -> throw new IllegalArgumentException("no meaning of " + value.getClass());
    };
  }

  private static ObjectNode ofRecord(Record value) {
    ObjectNode node = NODES.objectNode();
    if (value instanceof ClientMessage
        || value instanceof ServerMessage
        || value instanceof DeviceMemoryDescriptor
        || value instanceof GroupRule) {
      node.put("type", value.getClass().getSimpleName());
    }
    for (RecordComponent component : value.getClass().getRecordComponents()) {
      try {
        node.set(component.getName(), of(component.getAccessor().invoke(value)));
      } catch (ReflectiveOperationException impossible) {
        throw new LinkageError("no access to " + component, impossible);
      }
    }
    return node;
  }
}
