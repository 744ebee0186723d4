package io.orbitkv.workload.ab.live;

import io.orbitkv.workload.trace.TraceRequest;
import io.orbitkv.workload.trace.TraceSource;
import org.jspecify.annotations.Nullable;

/**
 * What is left of a trace after its beginning was read, as a trace that begins now. The caller
 * keeps the trace and closes it.
 */
final class RestOfTrace implements TraceSource {
  private final TraceSource trace;
  private long firstNanos = -1;

  RestOfTrace(TraceSource trace) {
    this.trace = trace;
  }

  @Override
  public String name() {
    return trace.name();
  }

  @Override
  public String identity() {
    return trace.identity();
  }

  @Override
  public @Nullable TraceRequest next() {
    TraceRequest request = trace.next();
    if (request == null) {
      return null;
    }
    firstNanos = firstNanos < 0 ? request.arrivalNanos() : firstNanos;
    return new TraceRequest(
        request.index(),
        request.arrivalNanos() - firstNanos,
        request.inputTokens(),
        request.outputTokens(),
        request.blockIds(),
        request.blockTokens());
  }

  @Override
  public void close() {}
}
