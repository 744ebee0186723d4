package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.read.Reads;
import io.orbitkv.kernel.residency.Residency;
import java.util.Arrays;

/** Where the pages of a question are. Changes nothing but its own scratch space. Dispatcher. */
final class Lookup {
  private final Residency residency;
  private final Reads reads;
  private int[] found = new int[64];

  Lookup(Residency residency, Reads reads) {
    this.residency = residency;
    this.reads = reads;
  }

  /** Resident pages from the first place on; strict questions look at all groups. */
  int resident(Decision decision) {
    long[] keys = decision.keys();
    int pages = decision.pages();
    if (found.length < pages) {
      found = new int[Math.max(pages, found.length * 2)];
    }
    int hits = 0;
    int[] groups = decision.groups();
    for (int i = 0; i < groups.length; i++) {
      int domain = decision.instance().domain(groups[i]);
      int asked = decision.pagesOfGroup()[i];
      int prefix = residency.findPrefix(domain, keys, hits, asked, found, hits);
      hits += prefix;
      if (prefix < asked) {
        break;
      }
    }
    return hits;
  }

  /** Whether reads could add to what is in memory. */
  boolean obtainable(Decision decision, int hits) {
    long[] keys = decision.keys();
    int place = 0;
    for (int i = 0; i < decision.groups().length; i++) {
      int domain = decision.instance().domain(decision.groups()[i]);
      for (int end = place + decision.pagesOfGroup()[i]; place < end; place++) {
        if (place < hits) {
          continue;
        }
        long high = keys[2 * place];
        long low = keys[2 * place + 1];
        boolean here = residency.find(domain, high, low) != Residency.NONE;
        if (!decision.strict()) {
          return reads.obtainable(domain, high, low);
        }
        if (!here && !reads.obtainable(domain, high, low)) {
          return false;
        }
      }
    }
    return true;
  }

  /** The first pages that the last {@link #resident} found. */
  int[] pages(int count) {
    return Arrays.copyOf(found, count);
  }
}
