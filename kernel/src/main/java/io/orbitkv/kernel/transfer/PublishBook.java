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
  private boolean partnersSettled;

  PublishBook(Step step, Replies replies, Residency residency, PendingKeys pendingKeys) {
    this.step = step;
    this.residency = residency;
    this.pendingKeys = pendingKeys;
    this.syncs = new Syncs(replies);
  }

  void add(PublishOperation operation) {
    live.put(operation.sequence(), operation);
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
      if (end == KernelCounter.PUBLISH_DISCARDED_PAGES) {
        syncs.discarded(owner.sequence());
      }
    }
    partnersSettled |= Integer.bitCount(claimed) > 1;
  }

  /** Removes a publish if it is over, and those of other ranks whose last page it settled. */
  void removeOver(PublishOperation operation) {
    if (partnersSettled) {
      partnersSettled = false;
      for (PublishOperation other : all()) {
        if (other.over()) {
          remove(other);
        }
      }
    } else if (operation.over()) {
      remove(operation);
    }
    syncs.settle(oldest());
  }

  private void remove(PublishOperation operation) {
    if (live.remove(operation.sequence()) == null) {
      return; // A partner's last page took it along already.
    }
    operation.session().addPublishes(-1);
    pendingKeys.add(-operation.keyBytes());
    operation.session().operations().remove(operation.id());
  }

  private long oldest() {
    return live.isEmpty() ? Long.MAX_VALUE : live.firstEntry().getKey();
  }

  /** A client waits for all publishes up to a sequence. */
  void sync(Session session, long operation, long sequence) {
    syncs.add(session, operation, sequence);
    syncs.settle(oldest());
  }

  void sessionClosed(Session session) {
    syncs.sessionClosed(session);
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
