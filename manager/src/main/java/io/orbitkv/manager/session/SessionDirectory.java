package io.orbitkv.manager.session;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The sessions that are there. Any thread. */
public final class SessionDirectory {
  private final Map<Long, Session> sessions = new ConcurrentHashMap<>();

  /** Makes an empty directory. */
  public SessionDirectory() {}

  void add(Session session) {
    sessions.put(session.number(), session);
  }

  void remove(Session session) {
    sessions.remove(session.number());
  }

  int size() {
    return sessions.size();
  }

  List<Session> all() {
    List<Session> all = new ArrayList<>(sessions.values());
    all.sort(Comparator.comparingLong(Session::number));
    return all;
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
