package io.orbitkv.manager.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions that are there. Any thread. */
public final class SessionDirectory {
  private final Map<Long, Session> sessions = new ConcurrentHashMap<>();

  // Guarded by this, and changed with the sessions under it, so that they add up.
  private final Map<SessionEnd, Long> closed = new EnumMap<>(SessionEnd.class);
  private long opened;
  private long refused;

  /** Makes an empty directory. */
  public SessionDirectory() {}

  synchronized void add(Session session) {
    sessions.put(session.number(), session);
    opened++;
  }

  synchronized void remove(Session session) {
    if (sessions.remove(session.number()) != null) {
      closed.merge(session.cause(), 1L, Long::sum);
    }
  }

  synchronized void refused() {
    refused++;
  }

  int size() {
    return sessions.size();
  }

  List<Session> all() {
    List<Session> all = new ArrayList<>(sessions.values());
    all.sort(Comparator.comparingLong(Session::number));
    return all;
  }

  /** How many there are and were, and what waits in them. */
  public synchronized SessionFigures figures() {
    long waiting = 0;
    long longest = 0;
    for (Session session : sessions.values()) {
      int queue = session.info().waitingReplies();
      waiting += queue;
      longest = Math.max(longest, queue);
    }
    return new SessionFigures(sessions.size(), opened, closed, refused, waiting, longest);
  }

  /** A picture of all sessions, in order of their numbers. */
  public List<SessionInfo> infos() {
    List<SessionInfo> infos = new ArrayList<>();
    for (Session session : all()) {
      infos.add(session.info());
    }
    return infos;
  }
}
