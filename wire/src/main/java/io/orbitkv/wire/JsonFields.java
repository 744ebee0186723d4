package io.orbitkv.wire;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The fields of one JSON object, read by hand: no class is ever chosen by what a peer sent. Each
 * field must be there, none may be there twice, none may be unknown, and numbers must be whole and
 * fit.
 */
final class JsonFields {
  /** Enough for 4,096 layers; bounds the tree that a frame of many tiny values becomes. */
  private static final int MAX_TOKENS = 1 << 17;

  private static final int MAX_DEPTH = 32;

  /** Immutable. */
  static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(MAX_DEPTH)
                          .maxTokenCount(MAX_TOKENS)
                          .maxNumberLength(32)
                          .maxNameLength(256)
                          .build())
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private final JsonNode object;
  private final String where;

  private JsonFields(JsonNode object, String where, String... names) throws ProtocolException {
    this.object = object;
    this.where = where;
    if (!object.isObject()) {
      throw new ProtocolException("not a JSON object", where);
    }
    List<String> known = Arrays.asList(names);
    for (String name : object.propertyNames()) {
      if (!known.contains(name)) {
        throw new ProtocolException("property [" + name + "] is unknown", where);
      }
    }
  }

  /** The JSON part of a frame as an object with these properties. */
  static JsonFields of(Frame frame, String where, String... names) throws ProtocolException {
    return new JsonFields(parse(frame, where), where, names);
  }

  /** Checks that the JSON part of a frame is JSON, and returns its text. */
  static String text(Frame frame, String where) throws ProtocolException {
    String text = jsonText(frame, where);
    parse(text, where);
    return text;
  }

  int int32(String name) throws ProtocolException {
    JsonNode value = value(name);
    if (!value.isIntegralNumber() || !value.canConvertToInt()) {
      throw new ProtocolException(name + " [" + brief(value) + "] is not a 32-bit number", where);
    }
    return value.intValue();
  }

  long int64(String name) throws ProtocolException {
    return int64(value(name), name);
  }

  boolean flag(String name) throws ProtocolException {
    JsonNode value = value(name);
    if (!value.isBoolean()) {
      throw new ProtocolException(name + " [" + brief(value) + "] is not true or false", where);
    }
    return value.booleanValue();
  }

  String text(String name) throws ProtocolException {
    return text(value(name), name);
  }

  private String text(JsonNode value, String name) throws ProtocolException {
    if (!value.isString()) {
      throw new ProtocolException(name + " [" + brief(value) + "] is not a text", where);
    }
    String text = value.stringValue();
    // An escape can smuggle in half a surrogate pair, which no UTF-8 can carry on.
    Texts.name(text, Protocol.MAX_NAME_BYTES, where + " " + name);
    return text;
  }

  /** Whether a property is there that may be left out. */
  boolean has(String name) {
    return object.has(name);
  }

  /** A count between 0 and {@code limit}. */
  int count(String name, int limit) throws ProtocolException {
    int count = int32(name);
    if (count < 0 || count > limit) {
      throw new ProtocolException(name + " [" + count + "] is outside 0.." + limit, where);
    }
    return count;
  }

  boolean isNull(String name) throws ProtocolException {
    return value(name).isNull();
  }

  JsonFields object(String name, String... names) throws ProtocolException {
    return new JsonFields(value(name), where + "." + name, names);
  }

  /** The objects of a list of at most {@code limit} elements. */
  List<JsonFields> objects(String name, int limit, String... names) throws ProtocolException {
    JsonNode list = list(name, limit);
    List<JsonFields> objects = new ArrayList<>(list.size());
    for (int i = 0; i < list.size(); i++) {
      objects.add(new JsonFields(element(list, i), where + "." + name + "[" + i + "]", names));
    }
    return objects;
  }

  long[] int64s(String name, int limit) throws ProtocolException {
    JsonNode list = list(name, limit);
    long[] values = new long[list.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = int64(element(list, i), name + "[" + i + "]");
    }
    return values;
  }

  /** The texts of a list of at most {@code limit} elements. */
  List<String> texts(String name, int limit) throws ProtocolException {
    JsonNode list = list(name, limit);
    List<String> texts = new ArrayList<>(list.size());
    for (int i = 0; i < list.size(); i++) {
      texts.add(text(element(list, i), name + "[" + i + "]"));
    }
    return texts;
  }

  /** For checks of the caller's own. */
  String where() {
    return where;
  }

  static ObjectNode create() {
    return MAPPER.createObjectNode();
  }

  static byte[] bytes(ObjectNode node) {
    return MAPPER.writeValueAsBytes(node);
  }

  private JsonNode list(String name, int limit) throws ProtocolException {
    JsonNode list = value(name);
    if (!list.isArray() || list.size() > limit) {
      throw new ProtocolException(name + " is not a list of at most " + limit, where);
    }
    return list;
  }

  private static JsonNode element(JsonNode list, int index) {
    return list.path(index);
  }

  private long int64(JsonNode value, String name) throws ProtocolException {
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw new ProtocolException(name + " [" + brief(value) + "] is not a 64-bit number", where);
    }
    return value.longValue();
  }

  private JsonNode value(String name) throws ProtocolException {
    JsonNode value = object.path(name);
    if (value.isMissingNode()) {
      throw new ProtocolException("property [" + name + "] is missing", where);
    }
    return value;
  }

  private static JsonNode parse(Frame frame, String where) throws ProtocolException {
    return parse(jsonText(frame, where), where);
  }

  private static JsonNode parse(String text, String where) throws ProtocolException {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException malformed) {
      throw new ProtocolException("not JSON: " + malformed.getOriginalMessage(), where, malformed);
    }
  }

  private static String jsonText(Frame frame, String where) throws ProtocolException {
    ByteBuffer json = frame.body().slice(0, frame.header().jsonBytes());
    return BodyReader.text(json, where + " JSON");
  }

  private static String brief(JsonNode value) {
    String text = value.isContainer() ? value.getNodeType().name() : value.asString();
    return text.length() <= 64 ? text : text.substring(0, 64) + "…";
  }
}
