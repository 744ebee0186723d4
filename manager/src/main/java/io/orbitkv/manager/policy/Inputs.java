package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.PageBatch;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import java.util.ArrayList;
import java.util.List;

/** What a policy saw when it decided. Immutable; nothing of a plugin's classes. */
sealed interface Inputs {
  /** A chain that could enter a tier. */
  record Chain(ChainFacts chain, TierFacts target) implements Inputs {}

  /** A read that was planned. */
  record Read(RequestFacts request, TierFacts source, EngineFacts engine) implements Inputs {}

  /** A read under way. */
  record Progress(CutoffPolicy.ReadProgress progress) implements Inputs {}

  /** A queue of accepted requests. */
  record Queue(List<RequestFacts> queue) implements Inputs {
    public Queue {
      queue = List.copyOf(queue);
    }
  }

  /**
   * Pages that were scored.
   *
   * @param count how many
   * @param first the first of them
   */
  record Pages(int count, List<Page> first) implements Inputs {
    private static final int MOST = 16;

    public Pages {
      first = List.copyOf(first);
    }

    /** A copy of what is kept of a batch. */
    static Pages of(PageBatch batch, long[] scores) {
      List<Page> first = new ArrayList<>();
      for (int i = 0; i < Math.min(MOST, batch.size()); i++) {
        first.add(
            new Page(
                batch.id(i),
                batch.parent(i),
                batch.depth(i),
                batch.children(i),
                batch.bytes(i),
                batch.lastUseNanos(i),
                batch.uses(i),
                batch.origin(i).name(),
                batch.mark(i),
                scores[i]));
      }
      return new Pages(batch.size(), first);
    }
  }

  /** One page and its score. */
  record Page(
      long id,
      long parent,
      int depth,
      int children,
      long bytes,
      long lastUseNanos,
      long uses,
      String origin,
      long mark,
      long score) {}

  /** Whether the decision was about that page, as far as the inputs tell. */
  default boolean concerns(long page) {
    return switch (this) {
      case Chain(ChainFacts chain, TierFacts _) -> chain.id() == page || chain.parent() == page;
      case Read read -> read.request().chain().id() == page;
      case Progress _ -> false;
      case Queue queue -> queue.queue().stream().anyMatch(request -> request.chain().id() == page);
      case Pages pages ->
          pages.first().stream().anyMatch(each -> each.id() == page || each.parent() == page);
    };
  }
}
