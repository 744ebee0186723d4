package io.orbitkv.workload.trace;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/**
 * Reads a trace of the Mooncake format: one JSON object a line with the fields {@code timestamp}
 * (milliseconds, does not decrease), {@code input_length}, {@code output_length} (tokens) and
 * {@code hash_ids} (prefix-chained ids of 512-token blocks).
 *
 * <p>Strict: whatever is not exactly this ends the reading with the file, the line and the field,
 * because a guessed trace gives a wrong verdict that nobody notices. Streams: a line is read when
 * it is asked for, and one line is in memory.
 */
public final class MooncakeTrace implements TraceSource {
  /** Longest line, in bytes. A prompt of a million tokens takes about 20 kB. */
  static final int MAX_LINE_BYTES = 1 << 20;

  /** Latest timestamp: a hundred days. */
  static final double MAX_TIMESTAMP_MILLIS = 100.0 * 86_400_000;

  private static final int BUFFER_BYTES = 1 << 16;
  private static final double NANOS_PER_MILLI = 1e6;

  private final Path file;
  private final InputStream input;
  private final JsonFactory json =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
  private byte[] line = new byte[4096];
  private long lineNumber;
  private long lastArrivalNanos;

  private MooncakeTrace(Path file, InputStream input) {
    this.file = file;
    this.input = input;
  }

  /**
   * Opens a trace.
   *
   * @throws TraceException when the file is missing, a folder, empty or not readable
   */
  public static MooncakeTrace open(Path file) {
    InputStream input = null;
    try {
      if (Files.isDirectory(file)) {
        throw new TraceException(
            "trace [" + file + "] is a folder: name a file of JSON lines", null);
      }
      input = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
      input.mark(1);
      if (input.read() < 0) {
        input.close();
        throw new TraceException(
            "trace [" + file + "] is empty: it needs at least one request", null);
      }
      input.reset();
      return new MooncakeTrace(file, input);
    } catch (NoSuchFileException missing) {
      throw new TraceException("trace [" + file + "] does not exist: check the path", missing);
    } catch (AccessDeniedException denied) {
      throw new TraceException(
          "trace [" + file + "] may not be read: check its permissions", denied);
    } catch (IOException failure) {
      throw new TraceException(
          "trace [" + file + "] cannot be read: " + failure.getMessage(), failure);
    }
  }

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public String identity() {
    return "mooncake " + file.getFileName();
  }

  @Override
  public @Nullable TraceRequest next() {
    int length = readLine();
    if (length < 0) {
      return null;
    }
    lineNumber++;
    try (JsonParser parser = json.createParser(ObjectReadContext.empty(), line, 0, length)) {
      TraceRequest request = parse(parser);
      lastArrivalNanos = request.arrivalNanos();
      return request;
    } catch (JacksonException malformed) {
      throw at("not a JSON object: " + malformed.getOriginalMessage(), malformed);
    } catch (IllegalArgumentException unfit) {
      throw at(String.valueOf(unfit.getMessage()), unfit);
    }
  }

  @Override
  public void close() {
    try {
      input.close();
    } catch (IOException failure) {
      throw new TraceException(
          "trace [" + file + "] cannot be closed: " + failure.getMessage(), failure);
    }
  }

  /** Reads up to the next line feed. Returns the length, or -1 at the end of the file. */
  private int readLine() {
    try {
      int length = 0;
      while (true) {
        int next = input.read();
        if (next == '\n' || (next < 0 && length > 0)) {
          return length;
        }
        if (next < 0) {
          return -1;
        }
        if (length == MAX_LINE_BYTES) {
          lineNumber++;
          throw at(
              "the line is longer than [" + MAX_LINE_BYTES + "] bytes: one request a line", null);
        }
        if (length == line.length) {
          line = Arrays.copyOf(line, line.length * 2);
        }
        line[length++] = (byte) next;
      }
    } catch (IOException failure) {
      lineNumber++;
      throw at("cannot be read: " + failure.getMessage(), failure);
    }
  }

  private TraceRequest parse(JsonParser parser) {
    JsonToken first = parser.nextToken();
    if (first == null) {
      throw new IllegalArgumentException("the line is empty: one request a line");
    }
    if (first != JsonToken.START_OBJECT) {
      throw new IllegalArgumentException(
          "not a JSON object: it begins with [" + parser.getString() + "]");
    }
    long arrivalNanos = -1;
    int inputTokens = -1;
    int outputTokens = -1;
    long[] blockIds = null;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      switch (field) {
        case "timestamp" -> arrivalNanos = arrivalNanos(parser);
        case "input_length" -> inputTokens = tokens(parser, field, 1);
        case "output_length" -> outputTokens = tokens(parser, field, 0);
        case "hash_ids" -> blockIds = blockIds(parser);
        default ->
            throw new IllegalArgumentException(
                "field ["
                    + field
                    + "] is unknown: a request has timestamp, input_length, output_length and"
                    + " hash_ids");
      }
    }
    if (parser.nextToken() != null) {
      throw new IllegalArgumentException("something follows the JSON object: one request a line");
    }
    require(arrivalNanos >= 0, "timestamp");
    require(inputTokens >= 0, "input_length");
    require(outputTokens >= 0, "output_length");
    if (blockIds == null) {
      throw new IllegalArgumentException("field [hash_ids] is missing");
    }
    return new TraceRequest(lineNumber - 1, arrivalNanos, inputTokens, outputTokens, blockIds);
  }

  private static void require(boolean present, String field) {
    if (!present) {
      throw new IllegalArgumentException("field [" + field + "] is missing");
    }
  }

  private long arrivalNanos(JsonParser parser) {
    JsonToken token = parser.currentToken();
    if (token != JsonToken.VALUE_NUMBER_INT && token != JsonToken.VALUE_NUMBER_FLOAT) {
      throw notA("a number of milliseconds", "timestamp", parser);
    }
    double millis = parser.getDoubleValue();
    if (!(millis >= 0 && millis <= MAX_TIMESTAMP_MILLIS)) {
      throw new IllegalArgumentException(
          "field [timestamp] is ["
              + parser.getString()
              + "]: must be 0 to 100 days of milliseconds");
    }
    long nanos = Math.round(millis * NANOS_PER_MILLI);
    if (nanos < lastArrivalNanos) {
      throw new IllegalArgumentException(
          "field [timestamp] is ["
              + parser.getString()
              + "], before the line above: requests must be in the order of their arrival");
    }
    return nanos;
  }

  private static int tokens(JsonParser parser, String field, int least) {
    long value = integer(parser, field);
    if (value < least || value > TraceRequest.MAX_TOKENS) {
      throw new IllegalArgumentException(
          "field ["
              + field
              + "] is ["
              + value
              + "]: must be "
              + least
              + " to "
              + TraceRequest.MAX_TOKENS);
    }
    return (int) value;
  }

  private static long[] blockIds(JsonParser parser) {
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw notA("a list of ids", "hash_ids", parser);
    }
    long[] ids = new long[64];
    int count = 0;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (count == ids.length) {
        ids = Arrays.copyOf(ids, count * 2);
      }
      ids[count++] = integer(parser, "hash_ids");
    }
    return Arrays.copyOf(ids, count);
  }

  private static long integer(JsonParser parser, String field) {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw notA("a whole number", field, parser);
    }
    if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw new IllegalArgumentException(
          "field [" + field + "] is [" + parser.getString() + "]: more than 64 bits");
    }
    return parser.getLongValue();
  }

  private static IllegalArgumentException notA(String expected, String field, JsonParser parser) {
    return new IllegalArgumentException(
        "field [" + field + "] is [" + parser.getString() + "]: must be " + expected);
  }

  private TraceException at(String problem, @Nullable Throwable cause) {
    return new TraceException("trace [" + file + "] line " + lineNumber + ": " + problem, cause);
  }
}
