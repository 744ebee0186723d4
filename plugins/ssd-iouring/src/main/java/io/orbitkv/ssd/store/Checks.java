package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.HostRun;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Checks of payloads under way and who hears of their results. */
final class Checks {
  /** Hears of the result of a check. */
  interface End {
    void ended(boolean good);
  }

  private final StoreOutbox outbox;
  private final Map<Long, End> ends = new HashMap<>();
  private long last;

  Checks(StoreOutbox outbox) {
    this.outbox = outbox;
  }

  void begin(List<HostRun> runs, int checksum, End end) {
    long number = ++last;
    ends.put(number, end);
    outbox.check(new PageCheck(number, runs, checksum));
  }

  /**
   * @throws IllegalStateException when it is not under way
   */
  void checked(long number, boolean good) {
    End end = ends.remove(number);
    if (end == null) {
      throw new IllegalStateException("check [" + number + "] is not under way");
    }
    end.ended(good);
  }

  int outstanding() {
    return ends.size();
  }
}
