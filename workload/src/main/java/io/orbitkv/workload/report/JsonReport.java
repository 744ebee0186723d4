package io.orbitkv.workload.report;

import java.io.StringWriter;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.core.util.DefaultPrettyPrinter;

/** Writes one JSON object, its fields in the order of the calls. One thread. */
public final class JsonReport {
  private final JsonGenerator generator;

  private JsonReport(JsonGenerator generator) {
    this.generator = generator;
  }

  /** The text of an object whose fields {@code fields} writes; no line feed at the end. */
  public static String object(Consumer<JsonReport> fields) {
    StringWriter text = new StringWriter();
    try (JsonGenerator generator = new JsonFactory().createGenerator(new Pretty(), text)) {
      generator.writeStartObject();
      fields.accept(new JsonReport(generator));
      generator.writeEndObject();
    }
    return text.toString();
  }

  /** A whole number. */
  public JsonReport field(String name, long value) {
    generator.writeNumberProperty(name, value);
    return this;
  }

  /** A number with at most {@code digits} digits after the point. */
  public JsonReport field(String name, double value, int digits) {
    double scale = Math.pow(10, digits);
    generator.writeNumberProperty(name, Math.round(value * scale) / scale);
    return this;
  }

  /** A text. */
  public JsonReport field(String name, String value) {
    generator.writeStringProperty(name, value);
    return this;
  }

  /** A truth value. */
  public JsonReport field(String name, boolean value) {
    generator.writeBooleanProperty(name, value);
    return this;
  }

  /** An object of {@code p50}, {@code p95} and {@code p99}. */
  public JsonReport field(String name, Percentiles value, int digits) {
    return object(
        name,
        inner ->
            inner
                .field("p50", value.p50(), digits)
                .field("p95", value.p95(), digits)
                .field("p99", value.p99(), digits));
  }

  /** A list of texts. */
  public JsonReport texts(String name, List<String> values) {
    generator.writeArrayPropertyStart(name);
    values.forEach(generator::writeString);
    generator.writeEndArray();
    return this;
  }

  /** An object inside the object. */
  public JsonReport object(String name, Consumer<JsonReport> fields) {
    generator.writeObjectPropertyStart(name);
    fields.accept(this);
    generator.writeEndObject();
    return this;
  }

  /** A list of objects. */
  public <T> JsonReport objects(
      String name, List<T> values, BiConsumer<JsonReport, T> fieldsOfOne) {
    generator.writeArrayPropertyStart(name);
    for (T value : values) {
      generator.writeStartObject();
      fieldsOfOne.accept(this, value);
      generator.writeEndObject();
    }
    generator.writeEndArray();
    return this;
  }

  private static final class Pretty extends ObjectWriteContext.Base {
    @Override
    public boolean hasPrettyPrinter() {
      return true;
    }

    @Override
    public DefaultPrettyPrinter getPrettyPrinter() {
      return new DefaultPrettyPrinter();
    }
  }
}
