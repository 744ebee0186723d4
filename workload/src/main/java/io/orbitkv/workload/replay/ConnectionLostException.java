package io.orbitkv.workload.replay;

import java.io.IOException;
import java.nio.file.Path;

/** The Manager was there when a run began and is not there any more. */
public final class ConnectionLostException extends IOException {
  private static final long serialVersionUID = 1;

  ConnectionLostException(Path socket, long requests, Throwable cause) {
    super(
        "the connection to the Manager at ["
            + socket
            + "] was lost in the middle of the run, after ["
            + requests
            + "] requests ("
            + cause.getMessage()
            + "): see the Manager's log for why it went, and run again",
        cause);
  }
}
