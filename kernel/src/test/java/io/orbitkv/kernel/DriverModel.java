package io.orbitkv.kernel;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the clients of the seeded driver believe. */
final class DriverModel {
  /** One connection. */
  static final class Client {
    final long id;
    final TreeMap<Long, Operation> operations = new TreeMap<>();
    final Map<Integer, Integer> ranks = new HashMap<>();
    final Map<Integer, @Nullable Operation> records = new HashMap<>();
    final Set<Long> controls = new HashSet<>();
    final Set<Integer> busyDevicePages = new HashSet<>();
    boolean alive = true;
    long lastOperation;

    Client(long id) {
      this.id = id;
    }

    long nextOperation() {
      return ++lastOperation;
    }
  }

  /** What kind of operation. */
  enum Kind {
    QUERY,
    RESTORE,
    PUBLISH
  }

  /** One operation of a client. */
  static final class Operation {
    final Client client;
    final long id;
    final Kind kind;
    final int record;
    final int instance;
    long[] names = new long[0];
    int revision = 1;
    boolean accepted;
    boolean acknowledged;
    boolean garbage;
    boolean loading;
    @Nullable AnswerState end;
    @Nullable LeaseId lease;
    @Nullable LeaseId restored;
    long answeredNanos;
    Event.@Nullable Submit submit;
    int[] devicePages = new int[0];

    Operation(Client client, long id, Kind kind, int record, int instance) {
      this.client = client;
      this.id = id;
      this.kind = kind;
      this.record = record;
      this.instance = instance;
    }

    @Override
    public String toString() {
      return kind
          + " "
          + client.id
          + "/"
          + id
          + "."
          + revision
          + " record "
          + record
          + " end "
          + end;
    }
  }

  /** A lease as its client knows it. */
  record Lease(LeaseId id, Operation query, long[] names) {}

  /** A plan that runs. */
  record Running(CopyPlan plan, Operation operation, long[] names, int rank) {}

  /** An instance generation. */
  record Instance(int handle, String name, int worldSize, int scope) {}

  final Map<Long, Client> clients = new HashMap<>();
  final List<Client> alive = new ArrayList<>();
  final Map<LeaseId, Lease> leasesById = new HashMap<>();
  final List<Lease> leases = new ArrayList<>();
  final Map<Long, Running> running = new TreeMap<>();
  final Map<Integer, Instance> instances = new TreeMap<>();
}
