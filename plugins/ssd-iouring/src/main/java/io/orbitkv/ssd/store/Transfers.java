package io.orbitkv.ssd.store;

import io.orbitkv.ssd.device.BlockFile;
import io.orbitkv.ssd.device.Span;
import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.device.Transfer;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Transfers under way and who hears of their ends. While the store is opened and closed they are
 * carried out through the file instead of leaving through the outbox, so that the same code writes
 * either way.
 *
 * <p>Bundles requests for durability: one sync at a time. A sync holds up every read that the
 * device has, so what nobody waits for goes along with the next one that somebody waits for, and
 * alone only after a while.
 */
final class Transfers {
  /** Hears of the end of a transfer. */
  interface End {
    /** Zero, or the device's error. */
    void ended(int error);
  }

  /** So long a patient request for durability waits for another that it can go along with. */
  static final long PATIENCE_NANOS = 1_000_000_000;

  private static final int EIO = 5;

  private final StoreOutbox outbox;
  private final WriteBudget budget;
  private final Counters counters;
  private final IdentityHashMap<Transfer, End> ends = new IdentityHashMap<>();
  private final ArrayDeque<Transfer> blocking = new ArrayDeque<>();
  private boolean isBlocking = true;
  private @Nullable IOException failure;

  private long submitted;
  private boolean syncing;
  private List<End> awaitingSync = new ArrayList<>();

  private final long patienceBytes;
  private final List<End> patient = new ArrayList<>();
  private long nowNanos;
  private long patientSinceNanos;
  private long patientSinceBytes;

  /**
   * @param patienceBytes written behind a patient request for durability until it waits no longer
   */
  Transfers(
      StoreOutbox outbox,
      WriteBudget budget,
      Counters counters,
      long patienceBytes,
      long nowNanos) {
    this.outbox = outbox;
    this.budget = budget;
    this.counters = counters;
    this.patienceBytes = patienceBytes;
    this.nowNanos = nowNanos;
  }

  Transfer submit(Transfer.Kind kind, long offset, List<Span> spans, End end) {
    Transfer transfer = new Transfer(kind, offset, spans);
    ends.put(transfer, end);
    submitted++;
    if (kind == Transfer.Kind.WRITE) {
      counters.deviceWrittenBytes += transfer.bytes();
      budget.spend(transfer.bytes());
    }
    if (isBlocking) {
      blocking.add(transfer);
    } else {
      outbox.transfer(transfer);
    }
    return transfer;
  }

  /** Hears once everything is durable whose completion was told before this call. */
  void sync(End end) {
    // A sync that is under way may have begun before the last of these completions.
    awaitingSync.add(end);
    startSync();
  }

  /** As {@link #sync}, for something that can wait a while. */
  void patientSync(End end) {
    if (patient.isEmpty()) {
      patientSinceNanos = nowNanos;
      patientSinceBytes = counters.deviceWrittenBytes;
    }
    patient.add(end);
    if (isBlocking) {
      hurry();
    }
  }

  /** Patient requests wait no longer. */
  void hurry() {
    if (!patient.isEmpty()) {
      awaitingSync.addAll(patient);
      patient.clear();
      startSync();
    }
  }

  /** Whether anything waits for durability patiently. */
  boolean hasPatient() {
    return !patient.isEmpty();
  }

  /** Patient requests whose time has come wait no longer. */
  void pump() {
    if (nowNanos - patientSinceNanos >= PATIENCE_NANOS
        || counters.deviceWrittenBytes - patientSinceBytes >= patienceBytes) {
      hurry();
    }
  }

  /** Tells the time, once in a while. */
  void tick(long newNowNanos) {
    nowNanos = newNowNanos;
  }

  private void startSync() {
    if (syncing || awaitingSync.isEmpty()) {
      return;
    }
    syncing = true;
    List<End> told = awaitingSync;
    awaitingSync = new ArrayList<>();
    told.addAll(patient);
    patient.clear();
    submit(
        Transfer.Kind.SYNC,
        0,
        List.of(),
        error -> {
          syncing = false;
          told.forEach(end -> end.ended(error));
          startSync();
        });
  }

  /**
   * @throws IllegalStateException when it is not under way: told twice, or not the store's
   */
  void completed(Transfer transfer, int error) {
    End end = ends.remove(transfer);
    if (end == null) {
      throw new IllegalStateException(
          "a transfer at [" + transfer.offset() + "] completed that is not under way");
    }
    end.ended(error);
  }

  int outstanding() {
    return ends.size();
  }

  /** So many transfers were submitted so far. */
  long submitted() {
    return submitted;
  }

  /** From here on transfers leave through the outbox. */
  void leaveBlocking() {
    isBlocking = false;
  }

  /** From here on transfers are carried out by {@link #carryOut}. */
  void enterBlocking() {
    isBlocking = true;
    failure = null;
  }

  /** Carries out the next transfer; false when there is none. */
  boolean carryOut(BlockFile file) {
    Transfer transfer = blocking.poll();
    if (transfer == null) {
      return false;
    }
    int error = 0;
    try {
      move(file, transfer);
    } catch (IOException failed) {
      error = EIO;
      failure = failure == null ? failed : failure;
    }
    completed(transfer, error);
    return true;
  }

  private static void move(BlockFile file, Transfer transfer) throws IOException {
    long offset = transfer.offset();
    for (Span span : transfer.spans()) {
      switch (transfer.kind()) {
        case READ, SPECULATIVE_READ -> file.read(offset, span.address(), span.bytes());
        case WRITE -> file.write(offset, span.address(), span.bytes());
        case SYNC -> throw new IllegalStateException("a sync has no spans");
      }
      offset += span.bytes();
    }
    if (transfer.kind() == Transfer.Kind.SYNC) {
      file.sync();
    }
  }

  /** The first failure of a blocking transfer since {@link #enterBlocking}, or null. */
  @Nullable IOException failure() {
    return failure;
  }

  static boolean isUnknown(int error) {
    return error == StoreDevice.UNKNOWN;
  }
}
