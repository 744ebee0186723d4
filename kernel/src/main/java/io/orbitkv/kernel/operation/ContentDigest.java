package io.orbitkv.kernel.operation;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.QueuedRequest;
import org.jspecify.annotations.Nullable;

/**
 * What a query asked, in 128 bits: enough to tell the same question from another one after its keys
 * were let go. Not meant against somebody who looks for collisions: who finds one gets the answer
 * to a question of its own.
 *
 * @param requestHigh digest of the instance, the request and the groups
 * @param requestLow its other half
 * @param contentHigh digest of all the rest
 * @param contentLow its other half
 */
record ContentDigest(long requestHigh, long requestLow, long contentHigh, long contentLow) {
  static ContentDigest of(Event.Submit submit) {
    Lanes request = new Lanes();
    request.add(submit.instance());
    String id = submit.requestId();
    request.add(id.length());
    for (int i = 0; i < id.length(); i++) {
      request.add(id.charAt(i));
    }
    request.addAll(submit.groups());
    Lanes content = new Lanes();
    content.add(submit.kind().code());
    addPages(content, submit.pagesOfGroup(), submit.keys(), submit.demand());
    return new ContentDigest(
        request.finished(0), request.finished(1), content.finished(0), content.finished(1));
  }

  /** Of a queued request, as the demand that it announces would have it. */
  static ContentDigest of(int instance, QueuedRequest request) {
    QueryKind kind = request.demand() == null ? QueryKind.DEMAND : QueryKind.SELECTED;
    return of(
        new Event.Submit(
            0,
            1,
            1,
            Event.NO_RECORD,
            instance,
            kind,
            request.requestId(),
            request.groups(),
            request.pagesOfGroup(),
            request.keys(),
            request.demand()));
  }

  private static void addPages(
      Lanes content, int[] pagesOfGroup, long[] keys, @Nullable RecoveryDemand demand) {
    content.addAll(pagesOfGroup);
    for (long half : keys) {
      content.add(half);
    }
    if (demand != null) {
      content.add(demand.pageTokens());
      content.add(demand.startToken());
      content.add(demand.endToken());
      for (GroupRange range : demand.ranges()) {
        content.add(range.group());
        content.add(range.startToken());
      }
    }
  }

  boolean sameRequest(ContentDigest other) {
    return requestHigh == other.requestHigh && requestLow == other.requestLow;
  }

  /** Two hashes of the same numbers that have nothing else in common. */
  private static final class Lanes {
    private long one = 0x243F6A8885A308D3L;
    private long two = 0x13198A2E03707344L;

    void add(long value) {
      one = (Long.rotateLeft(one, 27) ^ value * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L;
      two = (Long.rotateLeft(two, 31) + (value ^ value >>> 32)) * 0xD1B54A32D192ED03L;
    }

    void addAll(int[] values) {
      add(values.length);
      for (int value : values) {
        add(value);
      }
    }

    long finished(int lane) {
      long hash = lane == 0 ? one : two;
      hash = (hash ^ (hash >>> 30)) * 0xBF58476D1CE4E5B9L;
      hash = (hash ^ (hash >>> 27)) * 0x94D049BB133111EBL;
      return hash ^ (hash >>> 31);
    }
  }
}
