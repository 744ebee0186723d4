package io.orbitkv.client;

import io.orbitkv.api.query.ErrorCode;
import java.time.Duration;

/** A control request got no reply in time. The Manager may still carry it out. */
public final class RequestTimedOutException extends OrbitKvException {
  private static final long serialVersionUID = 1;

  RequestTimedOutException(String request, Duration timeout) {
    super(
        ErrorCode.INTERNAL,
        request
            + " got no reply within ["
            + timeout.toMillis()
            + "] ms; the Manager may still do it");
  }
}
