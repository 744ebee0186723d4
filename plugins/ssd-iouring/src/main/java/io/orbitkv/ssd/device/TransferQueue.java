package io.orbitkv.ssd.device;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Transfers of one kind in the order of their arrival, and findable by where they begin. */
final class TransferQueue {
  private final LinkedHashMap<Transfer, PendingTransfer> waiting = new LinkedHashMap<>();
  private final Map<Long, PendingTransfer> byOffset = new HashMap<>();

  TransferQueue() {}

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  void add(PendingTransfer pending) {
    waiting.put(pending.transfer(), pending);
    byOffset.put(pending.transfer().offset(), pending);
  }

  PendingTransfer head() {
    return waiting.firstEntry().getValue();
  }

  /** The waiting transfer that begins at an offset and of which nothing was handed out. */
  @Nullable PendingTransfer startingAt(long offset) {
    PendingTransfer found = byOffset.get(offset);
    return found != null && found.nextOffset() == offset ? found : null;
  }

  @Nullable PendingTransfer remove(Transfer transfer) {
    PendingTransfer removed = waiting.remove(transfer);
    if (removed != null) {
      byOffset.remove(transfer.offset(), removed);
    }
    return removed;
  }
}
