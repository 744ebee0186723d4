package io.orbitkv.kernel.residency;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.step.Step;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What leaves host memory and the backing tier first, when policies say so. While none is asked
 * nothing of this has any memory or costs anything, and the built-in LRU and the tier's own order
 * hold. Dispatcher.
 */
public final class Retention {
  private final Step step;
  private final Asked asked;
  private final Residency residency;
  private final StoredPages stored;
  private final StoredNames names;
  private final FactBlock block = new FactBlock();
  private @Nullable PageFacts facts;
  private @Nullable Leaves leaves;
  private @Nullable StoredFacts storedFacts;
  private @Nullable DramRetention dram;
  private @Nullable SsdRetention ssd;

  // Questions to policies that serve no more. Their answers come still.
  private final Set<Long> abandoned = new HashSet<>();

  /** Nobody is asked. */
  public Retention(
      Step step, Asked asked, Residency residency, StoredPages stored, StoredNames names) {
    this.step = step;
    this.asked = asked;
    this.residency = residency;
    this.stored = stored;
    this.names = names;
  }

  /** What the backing tier calls pages. */
  @FunctionalInterface
  public interface StoredNames {
    /** The name of a page of a key space. */
    StoredKey of(int domain, long keyHigh, long keyLow);
  }

  // ---- who is asked ----------------------------------------------------------------------------

  /** A decision boundary, which {@link Asked} knows already. */
  public void policiesChanged() {
    boolean host = asked.asks(PolicySlot.RETENTION_DRAM);
    boolean backing = asked.asks(PolicySlot.RETENTION_SSD);
    if (!host && !backing) {
      endDram();
      endSsd();
      facts = null;
      residency.watch(null);
      return;
    }
    PageFacts pageFacts = facts == null ? new PageFacts() : facts;
    facts = pageFacts;
    residency.watch(this);
    if (!host) {
      endDram();
    } else if (dram == null || asked.isFresh(PolicySlot.RETENTION_DRAM)) {
      beginDram(pageFacts);
    }
    if (!backing) {
      endSsd();
    } else if (ssd == null || asked.isFresh(PolicySlot.RETENTION_SSD)) {
      beginSsd(pageFacts);
    }
  }

  private void beginDram(PageFacts pageFacts) {
    Leaves known = leaves == null ? new Leaves(pageFacts) : leaves;
    endDram();
    pageFacts.begin();
    leaves = known;
    residency.lists().tell(known);
    dram = new DramRetention(step, asked, residency, pageFacts, known);
  }

  private void beginSsd(PageFacts pageFacts) {
    StoredFacts known =
        storedFacts == null ? new StoredFacts(stored, StoredPages.PARTS) : storedFacts;
    endSsd();
    known.begin();
    storedFacts = known;
    SsdRetention serving =
        new SsdRetention(step, asked, stored, names, residency, pageFacts, known);
    ssd = serving;
    stored.watch(serving);
  }

  private void endDram() {
    if (dram != null) {
      dram.openTickets(abandoned::add);
    }
    dram = null;
    leaves = null;
    residency.lists().tell(null);
  }

  private void endSsd() {
    if (ssd != null) {
      ssd.openTickets(abandoned::add);
    }
    ssd = null;
    storedFacts = null;
    stored.watch(null);
  }

  // ---- steps -----------------------------------------------------------------------------------

  /** The answer to a question; returns whether anybody asked it. */
  public boolean answered(Event.ScoresAdvice advice) {
    if (abandoned.remove(advice.ticket())) {
      step.count(KernelCounter.RETENTION_DEFAULTS);
      return true;
    }
    return (dram != null && dram.answered(advice)) || (ssd != null && ssd.answered(advice));
  }

  /** The maintenance tick. */
  public void tick() {
    if (dram != null) {
      dram.tick();
    }
    if (ssd != null) {
      ssd.tick();
    }
  }

  /** At the end of each step: tells and asks what is due. */
  public void pump() {
    if (dram != null) {
      dram.pump();
    }
    if (ssd != null) {
      ssd.pump();
    }
  }

  /** Whether a further step is wanted at once, for pages that are handed to a new policy. */
  public boolean slicing() {
    return (dram != null && dram.adopts()) || (ssd != null && ssd.adopts());
  }

  // ---- what happens to pages -------------------------------------------------------------------

  /**
   * A page entered host memory.
   *
   * @param depth pages before it, or -1 when its links say so
   * @param parentId the page before it, or {@link Facts#UNKNOWN}
   */
  void inserted(int page, Origin origin, int depth, long parentId) {
    if (facts != null) {
      boolean foreground = origin == Origin.PUBLISH || origin == Origin.DEMAND;
      facts.inserted(page, origin, foreground ? step.nowNanos() : Facts.UNKNOWN, depth);
    }
    if (dram != null) {
      dram.inserted(page, parentId);
    }
  }

  /** A page is published once more: it is as if it came now, but nobody asked for it. */
  void touched(int page) {
    if (facts != null) {
      facts.setLastUseNanos(page, step.nowNanos());
    }
  }

  /** Foreground work uses pages. */
  void used(int[] pages) {
    PageFacts pageFacts = facts;
    if (pageFacts == null) {
      return;
    }
    block.begin();
    int from = 0;
    while (from < pages.length) {
      int count = Math.min(usesAtATime(), pages.length - from);
      pageFacts.use(pages, from, count, step.nowNanos(), block);
      if (dram != null) {
        dram.used(block);
      }
      if (ssd != null) {
        usedIfStored(ssd, pages, from, count);
      }
      from += count;
    }
  }

  /**
   * Where two policies hear of uses and a message of one is full, page by page: the order holds.
   */
  private int usesAtATime() {
    boolean fits =
        dram == null || ssd == null || Math.min(dram.room(), ssd.room()) >= FactBlock.PAGES;
    return fits ? FactBlock.PAGES : 1;
  }

  private void usedIfStored(SsdRetention serving, int[] pages, int from, int count) {
    PageTable table = residency.table();
    for (int i = from; i < from + count; i++) {
      int page = pages[i];
      serving.used(table.domain(page), table.keyHigh(page), table.keyLow(page));
    }
  }

  /** A page is about to leave host memory. */
  void removed(int page) {
    if (dram != null) {
      dram.removed(page);
    }
  }

  /** The page to evict now, as {@link EvictionLists#victim}. */
  int victim(int node) {
    return dram == null ? residency.lists().victim(node) : dram.victim(node);
  }

  /** The victim was evicted. */
  void evicted() {
    if (dram != null) {
      dram.evicted();
    }
  }

  // ---- books -----------------------------------------------------------------------------------

  /**
   * The deep check.
   *
   * @throws IllegalStateException naming what does not hold
   */
  public void verify() {
    if (dram != null) {
      dram.verify();
    }
  }
}
