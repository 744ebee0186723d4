package io.orbitkv.manager.metrics;

/**
 * The bucket edges of all timers, in nanoseconds: twenty a decade from 1 us to 1,000 s, so that a
 * percentile is at most an eighth too high. Exports show three of them a decade (1, 2.5, 5), which
 * are edges themselves, so that the shown counts are exact.
 */
final class DurationEdges {
  private static final int[] STEPS_OF_A_DECADE = {
    100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710, 800,
    900
  };
  private static final int FIRST_DECADE_NANOS = 1_000;
  private static final int DECADES = 9;
  private static final int SHOWN_DECADES = 8;
  private static final int SUB_BITS = 2;
  private static final int SUB_MASK = (1 << SUB_BITS) - 1;

  private static final long[] EDGES = edges();
  // The first edge that a value with the same leading bits can need: a look and a step or two
  // instead of a search.
  private static final short[] STARTS = starts();
  private static final int[] SHOWN = shown();

  private DurationEdges() {}

  /** Number of buckets; the last one has no upper edge. */
  static int buckets() {
    return EDGES.length + 1;
  }

  /** The bucket of a duration: the first whose edge is not below it. */
  static int bucket(long nanos) {
    int bucket = STARTS[lead(nanos)];
    while (bucket < EDGES.length && EDGES[bucket] < nanos) {
      bucket++;
    }
    return bucket;
  }

  /** Upper edge of a bucket; of the last one, the largest edge. */
  static long edgeNanos(int bucket) {
    return EDGES[Math.min(bucket, EDGES.length - 1)];
  }

  /** Lower edge of a bucket. */
  static long floorNanos(int bucket) {
    return bucket == 0 ? 0 : EDGES[bucket - 1];
  }

  /** How many edges exports show. */
  static int shownEdges() {
    return SHOWN.length;
  }

  /** The bucket that ends at a shown edge. */
  static int shownBucket(int shown) {
    return SHOWN[shown];
  }

  private static int lead(long nanos) {
    if (nanos < 1 << SUB_BITS) {
      return 0;
    }
    int octave = Long.SIZE - 1 - Long.numberOfLeadingZeros(nanos);
    return (octave << SUB_BITS) | ((int) (nanos >>> (octave - SUB_BITS)) & SUB_MASK);
  }

  private static long[] edges() {
    long[] edges = new long[DECADES * STEPS_OF_A_DECADE.length + 1];
    int at = 0;
    long unit = FIRST_DECADE_NANOS;
    for (int decade = 0; decade < DECADES; decade++) {
      for (int step : STEPS_OF_A_DECADE) {
        edges[at++] = unit / 100 * step + unit % 100 * step / 100;
      }
      unit *= 10;
    }
    edges[at] = unit;
    return edges;
  }

  private static short[] starts() {
    short[] starts = new short[Long.SIZE << SUB_BITS];
    for (int lead = 1 << SUB_BITS; lead < starts.length; lead++) {
      int octave = lead >>> SUB_BITS;
      long sub = lead & SUB_MASK;
      long lowest = octave < SUB_BITS ? 0 : (1L << octave) + (sub << (octave - SUB_BITS));
      short bucket = 0;
      while (bucket < EDGES.length && EDGES[bucket] < lowest) {
        bucket++;
      }
      starts[lead] = bucket;
    }
    return starts;
  }

  private static int[] shown() {
    int[] shown = new int[SHOWN_DECADES * 3 + 1];
    int at = 0;
    for (int decade = 0; decade < SHOWN_DECADES; decade++) {
      int base = decade * STEPS_OF_A_DECADE.length;
      shown[at++] = base;
      shown[at++] = base + 8;
      shown[at++] = base + 14;
    }
    shown[at] = SHOWN_DECADES * STEPS_OF_A_DECADE.length;
    return shown;
  }
}
