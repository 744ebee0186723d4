package io.orbitkv.client;

import io.orbitkv.api.recovery.RecoveryDemand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The preparations and warm hints of one connection, which a later query of the same request claims
 * or cancels. Its monitor is taken before those of operations and the send lock, and never by the
 * reader thread.
 */
final class Hints {
  static final int MOST_PREPARATIONS = 4;
  static final int MOST_WARMINGS = 16;
  private static final Duration WARM_LIFETIME = Duration.ofSeconds(5);

  private final Connection connection;
  private final Map<Key, Preparation> preparations = new LinkedHashMap<>();
  private final Map<Key, Warming> warmings = new LinkedHashMap<>();

  /** Whom a hint is for. */
  record Key(int instance, String requestId) {}

  private record Warming(QueryHandle query, long startedNanos) {}

  Hints(Connection connection) {
    this.connection = connection;
  }

  /** Starts a preparation, unless there are enough of them or one for this request. */
  synchronized Optional<Preparation> prepare(
      Key key, long[] keys, @Nullable RecoveryDemand demand, Supplier<QueryHandle> start) {
    forgetOldPreparations();
    if (preparations.containsKey(key) || preparations.size() >= MOST_PREPARATIONS) {
      return Optional.empty();
    }
    cancelWarming(key);
    long now = connection.now();
    Preparation preparation = new Preparation(connection, this, start.get(), keys, demand, now);
    preparations.put(key, preparation);
    return Optional.of(preparation);
  }

  /** Starts warming, unless there is enough of it or some for this request. */
  synchronized boolean warm(Key key, Supplier<QueryHandle> start) {
    forgetOldWarmings();
    if (warmings.containsKey(key) || warmings.size() >= MOST_WARMINGS) {
      return false;
    }
    long now = connection.now();
    warmings.put(key, new Warming(start.get(), now));
    return true;
  }

  /**
   * A request is asked for: what was prepared for exactly this is claimed, anything else for the
   * request is cancelled.
   */
  synchronized Optional<QueryHandle> claimFor(
      Key key, long[] keys, @Nullable RecoveryDemand demand) {
    cancelWarming(key);
    Preparation preparation = preparations.get(key);
    if (preparation == null) {
      return Optional.empty();
    }
    if (!preparation.isFor(keys, demand)) {
      preparation.cancel();
      return Optional.empty();
    }
    // Of a model with several groups the selected read is no lookup: the discovery was.
    return preparation.claim(true);
  }

  /** False when the preparation was claimed or cancelled before. */
  synchronized boolean remove(Preparation preparation) {
    return preparations.values().remove(preparation);
  }

  private void cancelWarming(Key key) {
    Warming warming = warmings.remove(key);
    if (warming != null) {
      warming.query().cancel();
    }
  }

  private void forgetOldPreparations() {
    if (preparations.isEmpty()) {
      return;
    }
    long now = connection.now();
    List<Preparation> all = new ArrayList<>(preparations.values());
    for (Preparation preparation : all) {
      if (preparation.isOld(now)) {
        preparation.cancel();
      } else if (preparation.hasEnded()) {
        remove(preparation);
      }
    }
  }

  private void forgetOldWarmings() {
    long now = connection.now();
    // Answers of warm hints come over the socket, so the end of one is known without a look.
    warmings
        .values()
        .removeIf(warming ->
            warming.query().done() || now - warming.startedNanos() >= WARM_LIFETIME.toNanos());
  }
}
