package io.orbitkv.kernel.operation;

import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.QueuedRequest;
import io.orbitkv.kernel.budget.Budget;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * What policies are asked about the engines' queues: at the end of a step in which a queue changed,
 * and for warming as soon as nobody owns foreground bytes. Dispatcher.
 */
final class QueueQuestions {
  /** Requests of one queue that policies see. */
  static final int MOST_REQUESTS = 64;

  /** Pages that are looked up for one question, so that no step is long. */
  static final int MOST_PAGES = 1 << 15;

  private final Step step;
  private final Asked asked;
  private final Budget budget;
  private final RequestDescriptions descriptions;
  private final Map<Integer, Source> reported = new HashMap<>();
  private final Map<Integer, Source> toPrepare = new LinkedHashMap<>();
  private final Map<Integer, Source> toWarm = new LinkedHashMap<>();

  QueueQuestions(Step step, Asked asked, Budget budget, RequestDescriptions descriptions) {
    this.step = step;
    this.asked = asked;
    this.budget = budget;
    this.descriptions = descriptions;
  }

  /** The queue of an instance. */
  interface Source {
    Instance instance();

    /** Accepted requests in arrival order. */
    Collection<QueuedRequest> requests();

    /** When it was first heard of a request. */
    long arrivalNanos(QueuedRequest request);

    /**
     * Tokens of a request that nobody has computed yet; counted once, until the request changes.
     */
    long toCompute(QueuedRequest request, ToLongFunction<QueuedRequest> count);
  }

  /** A queue changed, or others are asked from now on. */
  void changed(Source queue) {
    int handle = queue.instance().handle();
    reported.put(handle, queue);
    if (asked.asks(PolicySlot.LOOKAHEAD)) {
      toPrepare.put(handle, queue);
    }
    if (asked.asks(PolicySlot.WARMING)) {
      toWarm.put(handle, queue);
    }
  }

  /** A queue is not reported any more. */
  void gone(Source queue) {
    reported.remove(queue.instance().handle());
    toPrepare.remove(queue.instance().handle());
    toWarm.remove(queue.instance().handle());
  }

  /** At the end of each step. */
  void pump() {
    if (toPrepare.isEmpty() && toWarm.isEmpty()) {
      return;
    }
    if (step.draining()) {
      toPrepare.clear();
      toWarm.clear();
      return;
    }
    if (asked.asks(PolicySlot.LOOKAHEAD)) {
      for (Source queue : toPrepare.values()) {
        step.emit(new Command.AskLookahead(queue.instance().handle(), facts(queue)));
      }
    }
    toPrepare.clear();
    if (!asked.asks(PolicySlot.WARMING)) {
      toWarm.clear();
    }
    boolean foreground = budget.totalBytes() > budget.speculativeBytes();
    Iterator<Source> queues = toWarm.values().iterator();
    while (!foreground && queues.hasNext()) {
      Source queue = queues.next();
      step.emit(new Command.AskWarming(queue.instance().handle(), facts(queue)));
      queues.remove();
    }
  }

  /**
   * Tokens that an engine still has to compute of what it accepted: without the complete pages that
   * lay in host memory or in the backing tier when it was first asked for.
   *
   * @param except the request that is left out
   * @return {@link Facts#UNKNOWN} when the engine reports no queue
   */
  long queuedTokens(Instance instance, String except) {
    @Nullable Source queue = reported.get(instance.handle());
    if (queue == null) {
      return Facts.UNKNOWN;
    }
    long tokens = 0;
    for (QueuedRequest request : queue.requests()) {
      if (!request.requestId().equals(except)) {
        tokens += queue.toCompute(request, each -> toCompute(queue, each));
      }
    }
    return tokens;
  }

  private long toCompute(Source queue, QueuedRequest request) {
    RequestFacts facts = descriptions.of(queue.instance(), request, queue.arrivalNanos(request));
    long missing = (long) facts.pages() - facts.dramPages() - facts.ssdPages();
    return facts.pages() == 0 ? 0 : facts.tokens() * missing / facts.pages();
  }

  private List<RequestFacts> facts(Source queue) {
    List<RequestFacts> facts = new ArrayList<>();
    int pages = 0;
    for (QueuedRequest request : queue.requests()) {
      pages += request.keys().length / 2;
      if (facts.size() == MOST_REQUESTS || (pages > MOST_PAGES && !facts.isEmpty())) {
        break;
      }
      facts.add(descriptions.of(queue.instance(), request, queue.arrivalNanos(request)));
    }
    return facts;
  }
}
