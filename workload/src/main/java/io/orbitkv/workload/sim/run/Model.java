package io.orbitkv.workload.sim.run;

import io.orbitkv.api.lease.LeaseId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What is known from outside: everything that clients asked for and were told. */
final class Model {
  /** Leases of which clients still speak, closed ones included. */
  private static final int REMEMBERED_LEASES = 200;

  final Map<Long, Client> clients = new HashMap<>();
  final List<Client> alive = new ArrayList<>();
  final TreeMap<Integer, InstanceModel> instances = new TreeMap<>();
  final Map<LeaseId, LeaseModel> leasesById = new HashMap<>();
  final List<LeaseModel> leases = new ArrayList<>();

  /** Leases that may hold bytes. */
  final Map<LeaseId, LeaseModel> holding = new LinkedHashMap<>();

  /** Queries without a terminal answer, in the order of acceptance. */
  final Map<Op, Op> undecided = new LinkedHashMap<>();

  /** Queries that ended while pages of theirs were being read: these may still be charged. */
  final List<Op> lingering = new ArrayList<>();

  /** The last question of each kind that several ranks may ask. */
  final Map<String, Question> questions = new HashMap<>();

  /** Reads in flight, by page. */
  final Map<Long, ReadModel> reading = new HashMap<>();

  /** Publishes of whose new pages a policy is asked. */
  final List<Op> inQuestion = new ArrayList<>();

  /** Publishes that were copied or are being copied, and have no word of their client yet. */
  final List<Op> unsealed = new ArrayList<>();

  final TreeMap<Long, RunningCopy> running = new TreeMap<>();

  private final Map<Long, PageModel> pages = new HashMap<>();
  long evictedStep = -1;
  boolean draining;

  void addLease(LeaseModel lease) {
    leasesById.put(lease.id, lease);
    leases.add(lease);
    holding.put(lease.id, lease);
    if (leases.size() > 2 * REMEMBERED_LEASES) {
      leases.subList(0, REMEMBERED_LEASES).clear();
    }
  }

  PageModel pageOf(long page) {
    return pages.computeIfAbsent(page, key -> new PageModel(Shape.worldSizeOf(key)));
  }

  PageModel page(Shape shape, long page) {
    return pages.computeIfAbsent(page, key -> new PageModel(shape.worldSize()));
  }

  /** A query is answered, or nobody is interested any more. */
  boolean decided(Op op) {
    boolean was = undecided.remove(op) != null;
    if (was && inFlight(op)) {
      lingering.add(op);
    }
    return was;
  }

  /** Whether any page of a query is being read. */
  boolean inFlight(Op op) {
    if (!reading.isEmpty()) {
      for (int place = 0; place < op.names.length; place++) {
        if (reading.containsKey(op.page(place))) {
          return true;
        }
      }
    }
    return false;
  }

  @Nullable InstanceModel live(int handle) {
    InstanceModel instance = instances.get(handle);
    return instance != null && instance.live() ? instance : null;
  }

  /** Nobody can take a share any more; what copies hold stays. */
  void close(LeaseModel lease) {
    lease.standing = LeaseModel.Standing.CLOSED;
    endWhenUnheld(lease);
  }

  void endWhenUnheld(LeaseModel lease) {
    if (lease.standing == LeaseModel.Standing.CLOSED && lease.copies == 0) {
      holding.remove(lease.id);
    }
  }

  /** A generation ends, by whichever of its workers. */
  void retire(InstanceModel instance) {
    if (!instance.retired) {
      instance.retired = true;
      for (LeaseModel lease : List.copyOf(holding.values())) {
        if (lease.instance == instance.handle) {
          close(lease);
        }
      }
    }
  }
}
