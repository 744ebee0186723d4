package io.orbitkv.workload.trace;

import java.util.Arrays;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/** Values of a trace's JSON fields, checked; what does not fit is told by the field's name. */
final class JsonFields {
  private JsonFields() {}

  static void require(boolean present, String field) {
    if (!present) {
      throw new IllegalArgumentException("field [" + field + "] is missing");
    }
  }

  /** A number of {@code unit} up to a hundred days, in nanoseconds. */
  static long nanos(JsonParser parser, String field, String unit, double unitNanos) {
    JsonToken token = parser.currentToken();
    if (token != JsonToken.VALUE_NUMBER_INT && token != JsonToken.VALUE_NUMBER_FLOAT) {
      throw notA("a number of " + unit, field, parser);
    }
    double nanos = parser.getDoubleValue() * unitNanos;
    if (!(nanos >= 0 && nanos <= TraceLimits.MAX_NANOS)) {
      throw new IllegalArgumentException(
          "field ["
              + field
              + "] is ["
              + parser.getString()
              + "]: must be 0 to 100 days of "
              + unit);
    }
    return Math.round(nanos);
  }

  static int tokens(JsonParser parser, String field, int least) {
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

  static long[] blockIds(JsonParser parser) {
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

  static long integer(JsonParser parser, String field) {
    if (parser.currentToken() != JsonToken.VALUE_NUMBER_INT) {
      throw notA("a whole number", field, parser);
    }
    if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      throw new IllegalArgumentException(
          "field [" + field + "] is [" + parser.getString() + "]: more than 64 bits");
    }
    return parser.getLongValue();
  }

  static IllegalArgumentException notA(String expected, String field, JsonParser parser) {
    return new IllegalArgumentException(
        "field [" + field + "] is [" + parser.getString() + "]: must be " + expected);
  }

  /**
   * The ids of all blocks of a prompt. Some writers name complete blocks alone; then the partial
   * one gets an id that nothing else has.
   *
   * @param unique not the id of any block
   */
  static long[] withPartialBlock(long[] ids, int inputTokens, int blockTokens, long unique) {
    boolean partialMissing =
        inputTokens % blockTokens != 0 && ids.length == inputTokens / blockTokens;
    if (!partialMissing) {
      return ids;
    }
    long[] all = Arrays.copyOf(ids, ids.length + 1);
    all[ids.length] = unique;
    return all;
  }
}
