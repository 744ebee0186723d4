package io.orbitkv.client;

import io.orbitkv.api.query.ErrorCode;

/**
 * The connection ended before an answer came. Nobody knows what became of the operation: device
 * pages of a restore or a publish stay in use until {@link OrbitKvClient#managerProvenDead()}.
 * Leases of the connection are gone.
 */
public final class ConnectionClosedException extends OrbitKvException {
  private static final long serialVersionUID = 1;

  ConnectionClosedException(String reason) {
    super(ErrorCode.INTERNAL, "connection closed: " + reason);
  }
}
