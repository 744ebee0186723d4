package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.kernel.Command;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Gives questions to the variant that their request belongs to. Dispatcher. What it remembers of
 * reads and queues is bounded: the oldest is forgotten, and falls to A.
 */
final class ArmRouting {
  private static final int MOST = 8192;

  private ArmRouter router = (_, _) -> false;
  private final Map<Long, Boolean> plans = bounded();
  private final Map<Integer, Queues> queues = bounded();

  void route(ArmRouter newRouter) {
    router = newRouter;
    queues.clear();
  }

  /** How a read is limited: whoever decides that is asked about its further batches too. */
  boolean planOfB(Command.AskReadPlan ask) {
    boolean ofB = ofB(ask.request());
    plans.put(ask.ticket(), ofB);
    return ofB;
  }

  boolean stepOfB(Command.AskReadOn ask) {
    return plans.getOrDefault(ask.plan(), false);
  }

  private boolean ofB(RequestFacts request) {
    return router.ofB(request.instance(), request.chain().unitHash());
  }

  /** The two queues in one. */
  Queues split(int instance, List<RequestFacts> queue) {
    Queues split = queues.computeIfAbsent(instance, _ -> new Queues());
    split.a.clear();
    split.b.clear();
    queue.forEach(request -> (ofB(request) ? split.b : split.a).add(request));
    return split;
  }

  /**
   * The queue of an instance, by variant. Advice on what to prepare replaces what was advised
   * before, so that of one variant is joined with what the other advised last.
   */
  static final class Queues {
    private final List<RequestFacts> a = new ArrayList<>();
    private final List<RequestFacts> b = new ArrayList<>();
    private List<String> preparedOfA = List.of();
    private List<String> preparedOfB = List.of();

    List<RequestFacts> of(boolean ofB) {
      return List.copyOf(ofB ? b : a);
    }

    /** What is to be prepared of both, in the order of arrival of each. */
    List<String> prepared(boolean ofB, List<String> advised) {
      if (ofB) {
        preparedOfB = List.copyOf(advised);
      } else {
        preparedOfA = List.copyOf(advised);
      }
      Set<String> waiting = new HashSet<>();
      a.forEach(request -> waiting.add(request.requestId()));
      b.forEach(request -> waiting.add(request.requestId()));
      List<String> both = new ArrayList<>(preparedOfA);
      both.addAll(preparedOfB);
      both.removeIf(id -> !waiting.contains(id));
      return List.copyOf(both);
    }
  }

  private static <K, V> Map<K, V> bounded() {
    return new LinkedHashMap<>() {
      private static final long serialVersionUID = 1;

      @Override
      protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
        return size() > MOST;
      }
    };
  }
}
