package io.orbitkv.workload.trace;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

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
  /** Longest line, in bytes. */
  static final int MAX_LINE_BYTES = TraceLimits.MAX_LINE_BYTES;

  private static final double NANOS_PER_MILLI = 1e6;

  private final Path file;
  private final JsonLines lines;
  private long lastArrivalNanos;

  private MooncakeTrace(Path file) {
    this.file = file;
    lines = new JsonLines(TraceLines.open(file), this::parse);
  }

  /**
   * Opens a trace.
   *
   * @throws TraceException when the file is missing, a folder, empty or not readable
   */
  public static MooncakeTrace open(Path file) {
    return new MooncakeTrace(file);
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
    return lines.next();
  }

  @Override
  public void close() {
    lines.close();
  }

  private TraceRequest parse(JsonParser parser, long lineNumber) {
    long arrivalNanos = -1;
    int inputTokens = -1;
    int outputTokens = -1;
    long[] blockIds = null;
    while (parser.nextToken() == JsonToken.PROPERTY_NAME) {
      String field = parser.currentName();
      parser.nextToken();
      switch (field) {
        case "timestamp" -> arrivalNanos = arrivalNanos(parser);
        case "input_length" -> inputTokens = JsonFields.tokens(parser, field, 1);
        case "output_length" -> outputTokens = JsonFields.tokens(parser, field, 0);
        case "hash_ids" -> blockIds = JsonFields.blockIds(parser);
        default ->
            throw new IllegalArgumentException(
                "field ["
                    + field
                    + "] is unknown: a request has timestamp, input_length, output_length and"
                    + " hash_ids");
      }
    }
    JsonFields.require(arrivalNanos >= 0, "timestamp");
    JsonFields.require(inputTokens >= 0, "input_length");
    JsonFields.require(outputTokens >= 0, "output_length");
    if (blockIds == null) {
      throw new IllegalArgumentException("field [hash_ids] is missing");
    }
    TraceRequest request =
        new TraceRequest(lineNumber - 1, arrivalNanos, inputTokens, outputTokens, blockIds);
    lastArrivalNanos = arrivalNanos;
    return request;
  }

  private long arrivalNanos(JsonParser parser) {
    long nanos = JsonFields.nanos(parser, "timestamp", "milliseconds", NANOS_PER_MILLI);
    if (nanos < lastArrivalNanos) {
      throw new IllegalArgumentException(
          "field [timestamp] is ["
              + parser.getString()
              + "], before the line above: requests must be in the order of their arrival");
    }
    return nanos;
  }
}
