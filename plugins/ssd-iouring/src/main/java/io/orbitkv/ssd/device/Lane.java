package io.orbitkv.ssd.device;

/** Direction of transfers. Each has its own ring or threads, so that neither waits in the other. */
enum Lane {
  /** Reads, speculative ones too. */
  READ,
  /** Writes and syncs. */
  WRITE;

  static Lane of(Transfer.Kind kind) {
    return switch (kind) {
      case READ, SPECULATIVE_READ -> READ;
      case WRITE, SYNC -> WRITE;
    };
  }
}
