package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.instance.Instance;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decisions that further ranks of an instance may still join, so that ranks which ask the same
 * question are told the same. A decision is kept until every rank asked, or for the lifetime of an
 * operation. Dispatcher.
 */
final class JointDecisions {
  /** More are never kept; then the oldest is forgotten first. */
  static final int LIMIT = 4096;

  private final Map<Question, Decision> byQuestion = new LinkedHashMap<>();

  /** What has to be equal: the digest tells the instance, the request and all that is asked. */
  private record Question(ContentDigest digest, int revision) {}

  /** The decision that a rank may join, or null. */
  @Nullable Decision find(ContentDigest digest, int revision, int rank) {
    Decision decision = byQuestion.get(new Question(digest, revision));
    return decision == null || decision.abandoned || decision.hasJoined(rank) ? null : decision;
  }

  /** Others may join from now on. */
  void add(ContentDigest digest, int revision, Decision decision) {
    if (byQuestion.size() == LIMIT) {
      Iterator<Decision> oldest = byQuestion.values().iterator();
      oldest.next();
      oldest.remove();
    }
    byQuestion.remove(new Question(digest, revision));
    byQuestion.put(new Question(digest, revision), decision);
  }

  /** Nobody can join any more. */
  void remove(ContentDigest digest, int revision, Decision decision) {
    byQuestion.remove(new Question(digest, revision), decision);
  }

  /** Forgets what is older than a moment. */
  void expire(long nowNanos) {
    Iterator<Decision> oldest = byQuestion.values().iterator();
    while (oldest.hasNext() && oldest.next().joinableUntilNanos - nowNanos <= 0) {
      oldest.remove();
    }
  }

  /** A generation ended. */
  void retired(Instance instance) {
    byQuestion.values().removeIf(decision -> decision.instance() == instance);
  }

  /** How many are kept. */
  int size() {
    return byQuestion.size();
  }
}
