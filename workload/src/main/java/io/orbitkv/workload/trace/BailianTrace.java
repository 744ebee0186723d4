package io.orbitkv.workload.trace;

import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Reads a trace of the Qwen-Bailian format: one JSON object a line with {@code chat_id}, {@code
 * parent_chat_id}, {@code timestamp} (seconds, does not decrease), {@code input_length}, {@code
 * output_length} (tokens), {@code type}, {@code turn} and {@code hash_ids} (ids of 16-token blocks,
 * chained by their order). Who continues whom follows from the ids; the chat's own fields are
 * checked and not used.
 *
 * <p>As strict as {@link MooncakeTrace}, and streams as it does.
 */
public final class BailianTrace implements TraceSource {
  /** Tokens in a block of the format. */
  public static final int BLOCK_TOKENS = 16;

  private static final double NANOS_PER_SECOND = 1e9;

  /** Ids of blocks that the trace does not name lie above all that it may name. */
  private static final long UNNAMED = 1L << 62;

  private final Path file;
  private final JsonLines lines;
  private long lastArrivalNanos;

  private BailianTrace(Path file) {
    this.file = file;
    lines = new JsonLines(TraceLines.open(file), this::parse);
  }

  /**
   * Opens a trace.
   *
   * @throws TraceException when the file is missing, a folder, empty or not readable
   */
  public static BailianTrace open(Path file) {
    return new BailianTrace(file);
  }

  @Override
  public String name() {
    return file.toString();
  }

  @Override
  public String identity() {
    return "qwen-bailian " + file.getFileName();
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
        case "timestamp" ->
            arrivalNanos = JsonFields.nanos(parser, field, "seconds", NANOS_PER_SECOND);
        case "input_length" -> inputTokens = JsonFields.tokens(parser, field, 1);
        case "output_length" -> outputTokens = JsonFields.tokens(parser, field, 0);
        case "hash_ids" -> blockIds = JsonFields.blockIds(parser);
        case "chat_id", "parent_chat_id", "turn" -> {
          long _ = JsonFields.integer(parser, field);
        }
        case "type" -> {
          if (parser.currentToken() != JsonToken.VALUE_STRING) {
            throw JsonFields.notA("a text", field, parser);
          }
        }
        default ->
            throw new IllegalArgumentException(
                "field ["
                    + field
                    + "] is unknown: a request has chat_id, parent_chat_id, timestamp,"
                    + " input_length, output_length, type, turn and hash_ids");
      }
    }
    JsonFields.require(arrivalNanos >= 0, "timestamp");
    JsonFields.require(inputTokens >= 0, "input_length");
    JsonFields.require(outputTokens >= 0, "output_length");
    if (blockIds == null) {
      throw new IllegalArgumentException("field [hash_ids] is missing");
    }
    if (arrivalNanos < lastArrivalNanos) {
      throw new IllegalArgumentException(
          "field [timestamp] is before the line above: requests must be in the order of their"
              + " arrival");
    }
    for (long id : blockIds) {
      if (id >= UNNAMED) {
        throw new IllegalArgumentException(
            "field [hash_ids] contains [" + id + "]: ids are below 2^62");
      }
    }
    lastArrivalNanos = arrivalNanos;
    return new TraceRequest(
        lineNumber - 1,
        arrivalNanos,
        inputTokens,
        outputTokens,
        JsonFields.withPartialBlock(blockIds, inputTokens, BLOCK_TOKENS, UNNAMED + lineNumber),
        BLOCK_TOKENS);
  }
}
