package io.orbitkv.kernel.operation;

import org.jspecify.annotations.Nullable;

/**
 * Offers that nobody took yet, in order of their deadlines, linked through the queries themselves:
 * adding and removing is O(1). Dispatcher.
 */
final class OfferList {
  private @Nullable QueryOperation oldest;
  private @Nullable QueryOperation youngest;
  private int size;

  void add(QueryOperation query) {
    query.listedIn = this;
    query.earlierOffer = youngest;
    if (youngest == null) {
      oldest = query;
    } else {
      youngest.laterOffer = query;
    }
    youngest = query;
    size++;
  }

  /** Repeating it changes nothing. */
  void remove(QueryOperation query) {
    if (query.listedIn != this) {
      return;
    }
    query.listedIn = null;
    QueryOperation earlier = query.earlierOffer;
    QueryOperation later = query.laterOffer;
    if (earlier == null) {
      oldest = later;
    } else {
      earlier.laterOffer = later;
    }
    if (later == null) {
      youngest = earlier;
    } else {
      later.earlierOffer = earlier;
    }
    query.earlierOffer = null;
    query.laterOffer = null;
    size--;
  }

  @Nullable QueryOperation oldest() {
    return oldest;
  }

  int size() {
    return size;
  }
}
