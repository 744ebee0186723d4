package io.orbitkv.wire;

import java.io.IOException;
import java.nio.file.Path;

/** Another process owns what a {@link SingleOwnerLock} guards. */
public final class AlreadyOwnedException extends IOException {
  private static final long serialVersionUID = 1;

  private final String path;
  private final long ownerPid;

  AlreadyOwnedException(Path path, long ownerPid) {
    super(
        "["
            + path
            + "] is locked by "
            + (ownerPid > 0 ? "process [" + ownerPid + "]" : "another process")
            + ": stop it or choose another path");
    this.path = path.toString();
    this.ownerPid = ownerPid;
  }

  /** The lock file. */
  public Path path() {
    return Path.of(path);
  }

  /** Process id that the owner wrote into the file, or -1 when there is none yet. */
  public long ownerPid() {
    return ownerPid;
  }
}
