package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.ssd.device.Transfer;
import io.orbitkv.ssd.store.PageCheck;
import io.orbitkv.ssd.store.StoreOutbox;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** The outbox of a store that is opened before the life exists that will hear it. */
final class Relay implements StoreOutbox {
  private final Map<StoredKey, Long> recovered = new LinkedHashMap<>();
  private final List<Consumer<StoreOutbox>> early = new ArrayList<>();
  private StoreOutbox target = this;

  /** What opening told. */
  Map<StoredKey, Long> recovered() {
    return recovered;
  }

  /** From now on everything goes there, what came early first. */
  void to(StoreOutbox life) {
    target = life;
    early.forEach(each -> each.accept(life));
    early.clear();
  }

  private void hand(Consumer<StoreOutbox> what) {
    if (target == this) {
      early.add(what);
    } else {
      what.accept(target);
    }
  }

  @Override
  public void stored(StoredKey key, long payloadBytes) {
    if (target == this) {
      recovered.put(key, payloadBytes);
    } else {
      target.stored(key, payloadBytes);
    }
  }

  @Override
  public void transfer(Transfer transfer) {
    hand(outbox -> outbox.transfer(transfer));
  }

  @Override
  public void raise(Transfer transfer) {
    hand(outbox -> outbox.raise(transfer));
  }

  @Override
  public void check(PageCheck check) {
    hand(outbox -> outbox.check(check));
  }

  @Override
  public void lost(StoredKey key) {
    hand(outbox -> outbox.lost(key));
  }

  @Override
  public void readDone(long ticket, BackingStatus status) {
    hand(outbox -> outbox.readDone(ticket, status));
  }

  @Override
  public void writeDone(long ticket, BackingStatus status) {
    hand(outbox -> outbox.writeDone(ticket, status));
  }

  @Override
  public void evicted(long ticket) {
    hand(outbox -> outbox.evicted(ticket));
  }

  @Override
  public void forgotten(long ticket, BackingStatus status, long pages) {
    hand(outbox -> outbox.forgotten(ticket, status, pages));
  }

  @Override
  public void flushed(long ticket, BackingStatus status) {
    hand(outbox -> outbox.flushed(ticket, status));
  }
}
