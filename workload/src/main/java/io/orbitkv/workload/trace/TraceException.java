package io.orbitkv.workload.trace;

import org.jspecify.annotations.Nullable;

/**
 * A trace cannot be used. The message names the file, the line where there is one, and the field.
 */
public final class TraceException extends RuntimeException {
  private static final long serialVersionUID = 1;

  TraceException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
