package io.orbitkv.kernel.transfer;

import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.operation.PendingKeys;
import io.orbitkv.kernel.operation.PublishOperation;
import io.orbitkv.kernel.operation.PublishOperation.Copying;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.residency.PageState;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;

/**
 * The publishes that are not over, in order of acceptance, and the clients that wait for them. Each
 * claimed page slot is counted in exactly one of the counters of its end.
 */
final class PublishBook {
  private final Step step;
  private final Residency residency;
  private final PendingKeys pendingKeys;
  private final Syncs syncs;
  private final LinkedHashMap<Long, PublishOperation> live = new LinkedHashMap<>();
  // Publishes that lost their last unsettled page in this event, in the order in which they did.
  private final List<PublishOperation> settled = new ArrayList<>();
  private long looked;

  PublishBook(
      Step step,
      Replies replies,
      Residency residency,
      PendingKeys pendingKeys,
      DurableSyncs durables) {
    this.step = step;
    this.residency = residency;
    this.pendingKeys = pendingKeys;
    this.syncs = new Syncs(replies, durables);
  }

  /** A publish runs, or waits for the decision what it copies. Repeating it is harmless. */
  void add(PublishOperation operation) {
    if (live.put(operation.sequence(), operation) != null) {
      return;
    }
    operation.session().addPublishes(1);
    pendingKeys.add(operation.keyBytes());
  }

  /**
   * Every claimed slot of an unsealed page has its end; the page itself is the caller's to move.
   */
  void settle(int page, KernelCounter end) {
    int claimed = residency.claimedRanks(page);
    for (int rank = 0; rank < WorkerLayout.MAX_RANKS; rank++) {
      if ((claimed & 1 << rank) == 0) {
        continue;
      }
      step.count(end);
      PublishOperation owner = live.get(residency.claimant(page, rank));
      if (owner == null) {
        throw new BrokenInvariant("page [" + page + "] is claimed by a publish that is over");
      }
      owner.settled();
      if (owner.unsettled() == 0) {
        settled.add(owner);
      }
      if (end == KernelCounter.PUBLISH_DISCARDED_PAGES) {
        syncs.discarded(owner.sequence());
      }
    }
  }

  /** Slots of a publish that never were claimed are given up. */
  void discarded(PublishOperation operation, int slots) {
    for (int i = 0; i < slots; i++) {
      syncs.discarded(operation.sequence());
    }
  }

  /** Removes a publish if it is over, and those of other ranks whose last page it settled. */
  void removeOver(PublishOperation operation) {
    for (PublishOperation other : settled) {
      removeIfOver(other);
    }
    settled.clear();
    removeIfOver(operation);
    syncs.settle(oldest());
  }

  private void removeIfOver(PublishOperation operation) {
    looked++;
    if (!operation.over() || live.remove(operation.sequence()) == null) {
      return; // Its copy runs, or it went with a partner's last page already.
    }
    operation.session().addPublishes(-1);
    pendingKeys.add(-operation.keyBytes());
    operation.session().operations().remove(operation.id());
  }

  private long oldest() {
    return live.isEmpty() ? Long.MAX_VALUE : live.firstEntry().getKey();
  }

  /** A client waits for all publishes up to a sequence. */
  void sync(Session session, long operation, boolean durable, long sequence) {
    syncs.add(session, operation, durable, sequence);
    syncs.settle(oldest());
  }

  void sessionClosed(Session session) {
    syncs.sessionClosed(session);
  }

  /** Publishes whose unsealed pages are too old. A copy, in order of acceptance. */
  List<PublishOperation> due() {
    List<PublishOperation> due = new ArrayList<>();
    for (PublishOperation operation : live.values()) {
      looked++;
      if (operation.deadlineNanos() - step.nowNanos() > 0) {
        break; // All later ones have later deadlines.
      }
      due.add(operation);
    }
    return due;
  }

  /** How many publishes were looked at to find those that are over or due. */
  long looked() {
    return looked;
  }

  /** A copy, in order of acceptance. */
  List<PublishOperation> all() {
    return new ArrayList<>(live.values());
  }

  int size() {
    return live.size();
  }

  /** Adds the references that copies hold, by page, and checks claims. For the deep check. */
  void countReferences(int[] references) {
    for (PublishOperation operation : live.values()) {
      int own = 0;
      for (int page : operation.pages()) {
        if (page == Residency.NONE) {
          continue;
        }
        if (operation.copying() == Copying.RUNNING) {
          references[page]++;
          if (residency.state(page) == PageState.FREE
              || residency.state(page) == PageState.RESIDENT) {
            throw new IllegalStateException(
                "page [" + page + "] is " + residency.state(page) + " while a publish writes it");
          }
        }
        own += residency.belongsTo(page, operation.rank(), operation.sequence()) ? 1 : 0;
      }
      if (own != operation.unsettled() || operation.over()) {
        throw new IllegalStateException(
            "publish ["
                + operation.id()
                + "] owns ["
                + own
                + "] unsealed page slots and counts ["
                + operation.unsettled()
                + "]");
      }
    }
  }
}
