package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.table.LongMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The connected sessions. */
public final class Sessions {
  private final LongMap<Session> byId = new LongMap<>();

  /** A client connected. */
  public void open(long session, int boardRecords) {
    if (byId.put(session, new Session(session, boardRecords)) != null) {
      throw new BrokenInvariant("session [" + session + "] was opened twice");
    }
  }

  /** The session, or null when it is gone. */
  public @Nullable Session get(long session) {
    return byId.get(session);
  }

  /** The session is gone. */
  public @Nullable Session remove(long session) {
    return byId.remove(session);
  }

  /** Number of sessions. */
  public int size() {
    return byId.size();
  }

  /** A copy. */
  public List<Session> all() {
    return byId.values();
  }
}
