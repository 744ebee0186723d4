package io.orbitkv.workload.sim.run;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** One connection, as its client and the checks see it. */
final class Client {
  final long id;
  final TreeMap<Long, Op> operations = new TreeMap<>();

  /** Ranks by instance handle. */
  final TreeMap<Integer, Integer> ranks = new TreeMap<>();

  /** Who last wrote each board record. */
  final Map<Integer, Op> records = new HashMap<>();

  /** Control requests without a reply. */
  final Set<Long> controls = new HashSet<>();

  /** Of them, those that ask for an eviction; never emptied. */
  final Set<Long> evictions = new HashSet<>();

  /** Registrations without a reply, by request. */
  final Map<Long, Registering> registering = new HashMap<>();

  /** Device pages that a copy may touch: {@link #devicePage}. */
  final Map<Long, Op> busyDevicePages = new HashMap<>();

  boolean alive = true;

  /** The largest id that this client made up. */
  long lastOperation;

  /** The largest id that the kernel accepted. */
  long lastAccepted;

  Client(long id) {
    this.id = id;
  }

  long nextOperation() {
    return ++lastOperation;
  }

  /** One number for a device page of a group of an instance. */
  static long devicePage(int instance, int group, int page) {
    return ((long) instance << 8 | group) << 32 | page;
  }

  @Override
  public String toString() {
    return "session " + id;
  }
}
