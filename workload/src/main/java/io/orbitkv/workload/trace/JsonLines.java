package io.orbitkv.workload.trace;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** Requests of a trace of JSON lines: one object a line. One thread. */
final class JsonLines implements AutoCloseable {
  private final TraceLines lines;
  private final Format format;
  private final JsonFactory json =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  /** What the objects hold. */
  @FunctionalInterface
  interface Format {
    /**
     * Reads an object whose start was read, to its end.
     *
     * @param lineNumber from 1
     * @throws IllegalArgumentException naming the field that does not fit
     */
    TraceRequest request(JsonParser parser, long lineNumber);
  }

  JsonLines(TraceLines lines, Format format) {
    this.lines = lines;
    this.format = format;
  }

  /** The next request, or null at the end. */
  @Nullable TraceRequest next() {
    if (!lines.next()) {
      return null;
    }
    try (JsonParser parser =
        json.createParser(ObjectReadContext.empty(), lines.bytes(), 0, lines.length())) {
      JsonToken first = parser.nextToken();
      if (first == null) {
        throw new IllegalArgumentException("the line is empty: one request a line");
      }
      if (first != JsonToken.START_OBJECT) {
        throw new IllegalArgumentException(
            "not a JSON object: it begins with [" + parser.getString() + "]");
      }
      TraceRequest request = format.request(parser, lines.number());
      if (parser.nextToken() != null) {
        throw new IllegalArgumentException("something follows the JSON object: one request a line");
      }
      return request;
    } catch (JacksonException malformed) {
      throw lines.at("not a JSON object: " + malformed.getOriginalMessage(), malformed);
    } catch (IllegalArgumentException unfit) {
      throw lines.at(String.valueOf(unfit.getMessage()), unfit);
    }
  }

  @Override
  public void close() {
    lines.close();
  }
}
