package io.orbitkv.manager.plugin;

import java.io.IOException;
import java.io.Serial;

/** A copy could not be written; what is copied is not to blame. */
final class UnwritableException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  UnwritableException(IOException cause) {
    super(cause.getMessage(), cause);
  }
}
