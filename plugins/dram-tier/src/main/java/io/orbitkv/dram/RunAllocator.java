package io.orbitkv.dram;

import java.util.Arrays;

/**
 * Allocates runs of granules of 4 KiB in the chunks of one NUMA node. One thread.
 *
 * <p>Segregated fit in constant time, of the two-level kind (Masmano, Ripoll, Crespo, Real: "TLSF:
 * a new dynamic memory allocator for real-time systems", 2004), with one difference: a run never
 * leaves its chunk and a chunk has at most 2^18 granules, so there is a list for each size instead
 * of a list for each class of sizes, and an {@link IndexSet} over the sizes takes the place of the
 * two bitmaps. That makes the fit the best one, makes {@link #largestFree} exact, and lets every
 * request that is not larger than it succeed; a class of sizes would have to round the request up
 * and miss a run of just its size.
 *
 * <p>No byte of the chunks is read or written. Bookkeeping is one {@code int} a granule (0.1 % of
 * the memory), made when a chunk is activated:
 *
 * <ul>
 *   <li>an allocated run carries its size and {@link #START} on its first granule, 0 on the others;
 *   <li>a free run carries its size, {@link #FREE} and {@link #START} on its first granule, and its
 *       size, {@link #FREE} and {@link #END} on its last one, where a neighbour finds it when it
 *       becomes free itself;
 *   <li>a free run of four granules and more keeps the links of its list, complemented, on its
 *       second and third granule. The complement sets the sign, which no start of an allocated run
 *       has: so a wrong handle is never taken for a right one;
 *   <li>free runs of one to three granules have no place for links; their places are an {@link
 *       IndexSet} for each of the three sizes.
 * </ul>
 *
 * <p>A place is {@code chunk << granuleBits | granule}; chunks count within the node.
 */
final class RunAllocator {
  static final int GRANULE_BYTES = 4096;

  /** Answer of {@link #allocate} when no free run is large enough. */
  static final int NONE = -1;

  private static final int FREE = 1 << 31;
  private static final int START = 1 << 30;
  private static final int END = 1 << 29;
  private static final int SIZE = (1 << 20) - 1;

  /** Runs of this size and more are in linked lists. */
  private static final int LINKED = 4;

  private static final int[] INACTIVE = {};

  private final int granuleBits;
  private final int granuleMask;
  private final int[][] tags;
  private final IndexSet sizes;
  private final int[] heads;
  private final IndexSet[] smallPlaces = new IndexSet[LINKED];
  private long freeGranules;

  /**
   * @param chunks number of chunks
   * @param chunkGranules granules of the largest chunk, at most 2^18
   * @throws IllegalArgumentException when there are too many chunks to number their granules
   */
  RunAllocator(int chunks, int chunkGranules) {
    granuleBits = Integer.SIZE - Integer.numberOfLeadingZeros(chunkGranules - 1);
    granuleMask = (1 << granuleBits) - 1;
    long places = (long) chunks << granuleBits;
    if (chunkGranules > 1 << 18 || places > Integer.MAX_VALUE) {
      throw new IllegalArgumentException(
          "[" + chunks + "] chunks of [" + chunkGranules + "] granules cannot be numbered");
    }
    tags = new int[chunks][];
    Arrays.fill(tags, INACTIVE);
    sizes = new IndexSet(chunkGranules + 1);
    heads = new int[chunkGranules + 1];
    Arrays.fill(heads, NONE);
    for (int size = 1; size < LINKED; size++) {
      smallPlaces[size] = new IndexSet((int) places);
    }
  }

  /** Makes a chunk one free run. */
  void activate(int chunk, int granules) {
    if (tags[chunk].length != 0) {
      throw new IllegalStateException("chunk [" + chunk + "] is active already");
    }
    tags[chunk] = new int[granules];
    insert(chunk << granuleBits, granules);
  }

  /**
   * Takes the smallest free run that is large enough and gives its end back.
   *
   * @return a place, or {@link #NONE}
   */
  int allocate(int granules) {
    int size = granules < heads.length ? sizes.ceiling(granules) : IndexSet.NONE;
    if (size == IndexSet.NONE) {
      return NONE;
    }
    int place = size >= LINKED ? heads[size] : smallPlaces[size].ceiling(0);
    remove(place, size);
    tagsOf(place)[place & granuleMask] = START | granules;
    if (size > granules) {
      insert(place + granules, size - granules);
    }
    return place;
  }

  /**
   * Gives a run back and merges it with free neighbours.
   *
   * @throws IllegalArgumentException when no allocated run starts there
   */
  void free(int place) {
    int size = granules(place);
    int[] tag = tagsOf(place);
    int first = place & granuleMask;
    tag[first] = 0;
    int start = place;
    int after = first + size;
    if (after < tag.length && tag[after] < 0) {
      int nextSize = tag[after] & SIZE;
      remove(start + size, nextSize);
      size += nextSize;
    }
    // A negative tag before the run is always the end of a free run: links are never last.
    if (first > 0 && tag[first - 1] < 0) {
      int previousSize = tag[first - 1] & SIZE;
      start -= previousSize;
      remove(start, previousSize);
      size += previousSize;
    }
    insert(start, size);
  }

  /**
   * Size of the allocated run that starts at a place.
   *
   * @throws IllegalArgumentException when no allocated run starts there
   */
  int granules(int place) {
    int chunk = place >>> granuleBits;
    int granule = place & granuleMask;
    int[] tag = place >= 0 && chunk < tags.length ? tags[chunk] : INACTIVE;
    if (granule >= tag.length) {
      throw new IllegalArgumentException("place [" + place + "] is outside of the active chunks");
    }
    if (tag[granule] < START) {
      throw new IllegalArgumentException(
          "no allocated run starts at granule ["
              + granule
              + "] of chunk ["
              + chunk
              + "]: freed twice, or not a handle of this tier");
    }
    return tag[granule] & SIZE;
  }

  int place(int chunk, int granule) {
    return (chunk << granuleBits) | granule;
  }

  int chunkOf(int place) {
    return place >>> granuleBits;
  }

  int granuleOf(int place) {
    return place & granuleMask;
  }

  /** Granules of the largest free run, exact. */
  int largestFree() {
    return Math.max(0, sizes.last());
  }

  long freeGranules() {
    return freeGranules;
  }

  /** Words of the indexes visited since creation. */
  long wordsVisited() {
    long words = sizes.wordsVisited();
    for (int size = 1; size < LINKED; size++) {
      words += smallPlaces[size].wordsVisited();
    }
    return words;
  }

  private void insert(int place, int size) {
    int[] tag = tagsOf(place);
    int first = place & granuleMask;
    tag[first] = FREE | START | size;
    tag[first + size - 1] |= FREE | END | size;
    if (size >= LINKED) {
      int head = heads[size];
      setNext(place, head);
      setPrevious(place, NONE);
      if (head != NONE) {
        setPrevious(head, place);
      }
      heads[size] = place;
    } else {
      smallPlaces[size].add(place);
    }
    sizes.add(size);
    freeGranules += size;
  }

  /** Takes a free run out of the indexes and clears all of its tags. */
  private void remove(int place, int size) {
    int[] tag = tagsOf(place);
    int first = place & granuleMask;
    boolean lastOfSize;
    if (size >= LINKED) {
      int next = ~tag[first + 1];
      int previous = ~tag[first + 2];
      if (next != NONE) {
        setPrevious(next, previous);
      }
      if (previous != NONE) {
        setNext(previous, next);
      } else {
        heads[size] = next;
      }
      tag[first + 1] = 0;
      tag[first + 2] = 0;
      lastOfSize = heads[size] == NONE;
    } else {
      smallPlaces[size].remove(place);
      lastOfSize = smallPlaces[size].last() == IndexSet.NONE;
    }
    if (lastOfSize) {
      sizes.remove(size);
    }
    tag[first] = 0;
    tag[first + size - 1] = 0;
    freeGranules -= size;
  }

  private void setNext(int place, int next) {
    tagsOf(place)[(place & granuleMask) + 1] = ~next;
  }

  private void setPrevious(int place, int previous) {
    tagsOf(place)[(place & granuleMask) + 2] = ~previous;
  }

  private int[] tagsOf(int place) {
    return tags[place >>> granuleBits];
  }
}
