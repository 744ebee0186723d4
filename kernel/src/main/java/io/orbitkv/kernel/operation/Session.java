package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.budget.PermitAccount;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One connection: its ids, board records, operations and workers. */
public final class Session {
  private final long id;
  private final @Nullable BoardRecord[] records;
  private final LongMap<Operation> operations = new LongMap<>();
  private final List<Registration> registrations = new ArrayList<>(1);
  private long lastOperation;
  private boolean closed;
  private final PermitAccount permits = new PermitAccount();
  int leases;
  private int restores;
  private int publishes;
  private int syncs;

  /**
   * @param boardRecords number of records of its status board
   */
  public Session(long id, int boardRecords) {
    this.id = id;
    this.records = new BoardRecord[boardRecords];
  }

  /** What the kernel knows of one board record. */
  private static final class BoardRecord {
    long operation;
    boolean busy;
    Command.@Nullable Answer last;
  }

  /** The Manager's number. */
  public long id() {
    return id;
  }

  /** Whether the client is gone. */
  public boolean closed() {
    return closed;
  }

  /** The client is gone. */
  public void close() {
    closed = true;
  }

  // ---- ids -------------------------------------------------------------------------------------

  /** The largest operation id that was used. */
  public long lastOperation() {
    return lastOperation;
  }

  /** An id is used up. */
  public void use(long operation) {
    lastOperation = Math.max(lastOperation, operation);
  }

  /** Pending operations and leased queries by id. */
  public LongMap<Operation> operations() {
    return operations;
  }

  /** The workers that registered on this connection. */
  public List<Registration> registrations() {
    return registrations;
  }

  /**
   * The client's waits for a staged restore of its worker are enqueued. What is no such restore, or
   * was told before, changes nothing.
   */
  public void stageWaited(long operation) {
    for (int i = 0; i < registrations.size(); i++) {
      if (registrations.get(i).stageSlots().waited(operation)) {
        return;
      }
    }
  }

  /** The worker of an instance on this connection, or null. */
  public @Nullable Registration worker(int instance) {
    for (int i = 0; i < registrations.size(); i++) {
      Registration registration = registrations.get(i);
      if (registration.instance().handle() == instance) {
        return registration;
      }
    }
    return null;
  }

  // ---- board records ---------------------------------------------------------------------------

  /** Why a record cannot be used for an operation, or null when it can. */
  public @Nullable String recordProblem(int record, long operation) {
    if (record == Event.NO_RECORD) {
      return null;
    }
    if (record < 0 || record >= records.length) {
      return "board record ["
          + record
          + "] is outside the board of ["
          + records.length
          + "] records";
    }
    BoardRecord known = records[record];
    if (known != null && known.busy && known.operation != operation) {
      return "board record ["
          + record
          + "] is in use by operation ["
          + known.operation
          + "]: take, release or cancel that one first";
    }
    return null;
  }

  /** An operation uses a record until it is freed. */
  public void occupy(int record, long operation) {
    if (record != Event.NO_RECORD) {
      BoardRecord known = records[record];
      if (known == null) {
        known = new BoardRecord();
        records[record] = known;
      }
      known.operation = operation;
      known.busy = true;
      known.last = null;
    }
  }

  /** An operation no longer needs its record; its answer stays until the next use. */
  public void free(int record, long operation) {
    if (record != Event.NO_RECORD) {
      BoardRecord known = records[record];
      if (known != null && known.operation == operation) {
        known.busy = false;
      }
    }
  }

  /** An operation's answers go elsewhere from now on: what its record showed is past. */
  public void vacate(int record, long operation) {
    if (record != Event.NO_RECORD) {
      BoardRecord known = records[record];
      if (known != null && known.operation == operation) {
        known.busy = false;
        known.last = null;
      }
    }
  }

  /** Keeps an answer for a client that missed it. */
  void remember(Command.Answer answer) {
    if (answer.record() != Event.NO_RECORD) {
      BoardRecord known = records[answer.record()];
      if (known != null && known.operation == answer.operation()) {
        known.last = answer;
      }
    }
  }

  /** The last answer of an operation that is not pending any more, or null when it is forgotten. */
  Command.@Nullable Answer remembered(long operation) {
    for (BoardRecord record : records) {
      if (record != null && record.last != null && record.last.operation() == operation) {
        return record.last;
      }
    }
    return null;
  }

  // ---- permits ---------------------------------------------------------------------------------

  /** Permits of its queries. */
  public PermitAccount permits() {
    return permits;
  }

  /** Restores that were not answered. */
  public int restores() {
    return restores;
  }

  /** A restore begins or ends. */
  public void addRestores(int delta) {
    restores += delta;
  }

  /** Publishes that are not over. */
  public int publishes() {
    return publishes;
  }

  /** A publish begins or is over. */
  public void addPublishes(int delta) {
    publishes += delta;
  }

  /** Syncs that were not answered. */
  public int syncs() {
    return syncs;
  }

  /** A sync begins or is answered. */
  public void addSyncs(int delta) {
    syncs += delta;
  }
}
