package io.orbitkv.ssd.store;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Which segment is emptied next, and which of its pages are worth moving. */
final class Victims {
  /** How much of a segment's bytes counts however long ago its pages were used. */
  private static final double BYTES_WEIGHT = 0.1;

  private Victims() {}

  /**
   * The sealed segment without readers that is worth least: live bytes, weighed by how recently
   * they were used on average, between the least recent average and now. Null when there is none.
   */
  static @Nullable Segment leastWorth(Catalog catalog) {
    double oldest = Double.MAX_VALUE;
    for (Segment segment : catalog.segments) {
      if (isEligible(segment) && segment.liveBlocks > 0) {
        oldest = Math.min(oldest, average(segment));
      }
    }
    double span = Math.max(1, catalog.clock() - oldest);
    Segment least = null;
    double leastWorth = Double.MAX_VALUE;
    for (Segment segment : catalog.segments) {
      if (isEligible(segment)) {
        double worth =
            segment.liveBlocks == 0
                ? 0
                : segment.liveBlocks * (BYTES_WEIGHT + (average(segment) - oldest) / span);
        if (worth < leastWorth) {
          leastWorth = worth;
          least = segment;
        }
      }
    }
    return least;
  }

  /** The sealed segment without readers that has most dead records, or null. */
  static @Nullable Segment mostKilled(Catalog catalog) {
    Segment most = null;
    for (Segment segment : catalog.segments) {
      if (isEligible(segment) && (most == null || segment.killed() > most.killed())) {
        most = segment;
      }
    }
    return most == null || most.killed() == 0 ? null : most;
  }

  private static boolean isEligible(Segment segment) {
    return segment.state == Segment.State.SEALED && segment.readers == 0 && !segment.uncertain;
  }

  private static double average(Segment segment) {
    return (double) segment.scoreSum / segment.liveBlocks;
  }

  /**
   * Pages used since they were written, the highest scores first, up to a number of blocks.
   *
   * @param mostBlocks of all together
   * @param mostRecordBlocks of one record
   */
  static List<Integer> hotPages(
      Catalog catalog, Segment segment, long mostBlocks, long mostRecordBlocks) {
    PageTable pages = catalog.pages;
    List<Integer> hot = new ArrayList<>();
    for (int page = segment.firstPage; page != PageTable.NONE; page = pages.next(page)) {
      if (pages.isUsed(page) && pages.blocks(page) <= mostRecordBlocks) {
        hot.add(page);
      }
    }
    hot.sort((a, b) -> Long.compare(pages.score(b), pages.score(a)));
    long blocks = 0;
    int count = 0;
    while (count < hot.size() && blocks + pages.blocks(hot.get(count)) <= mostBlocks) {
      blocks += pages.blocks(hot.get(count));
      count++;
    }
    return List.copyOf(hot.subList(0, count));
  }
}
