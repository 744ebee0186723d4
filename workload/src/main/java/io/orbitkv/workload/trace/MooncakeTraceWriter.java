package io.orbitkv.workload.trace;

import java.io.IOException;
import java.util.Locale;

/** Writes requests in the format that {@link MooncakeTrace} reads. */
public final class MooncakeTraceWriter {
  private static final long NANOS_PER_MILLI = 1_000_000;

  private MooncakeTraceWriter() {}

  /**
   * Writes every request that is left in {@code source}.
   *
   * @return the number of requests written
   */
  public static long write(TraceSource source, Appendable output) throws IOException {
    long requests = 0;
    for (TraceRequest request = source.next(); request != null; request = source.next()) {
      output.append(line(request)).append('\n');
      requests++;
    }
    return requests;
  }

  private static String line(TraceRequest request) {
    StringBuilder text = new StringBuilder(64 + request.blockIds().length * 8);
    text.append("{\"timestamp\": ").append(millis(request.arrivalNanos()));
    text.append(", \"input_length\": ").append(request.inputTokens());
    text.append(", \"output_length\": ").append(request.outputTokens());
    text.append(", \"hash_ids\": [");
    String separator = "";
    for (long id : request.blockIds()) {
      text.append(separator).append(id);
      separator = ", ";
    }
    return text.append("]}").toString();
  }

  private static String millis(long nanos) {
    long fraction = nanos % NANOS_PER_MILLI;
    String whole = Long.toString(nanos / NANOS_PER_MILLI);
    return fraction == 0 ? whole : whole + String.format(Locale.ROOT, ".%06d", fraction);
  }
}
