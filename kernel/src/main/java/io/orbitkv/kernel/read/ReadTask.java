package io.orbitkv.kernel.read;

import io.orbitkv.kernel.budget.Permit;
import io.orbitkv.kernel.budget.Reservation;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.residency.Residency;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * What one decision wants read. It owns the bytes and one permit of its decision from its start to
 * its last report, whatever becomes of the decision meanwhile. Dispatcher.
 */
public final class ReadTask {
  private static final byte PENDING = 0;
  private static final byte IN_FLIGHT = 1;
  private static final byte HERE = 2;

  private final Owner owner;
  private final Instance instance;
  private final int[] groups;
  private final int[] pagesOfGroup;
  private final Purpose purpose;
  private final Permit permit;
  private final int[] pages;
  private final byte[] places;
  private ReadLimits limits;
  Reservation reservation;
  long[] keys;
  boolean speculative;

  /** Places from here on are given up: a prefix ends at its first failure. */
  int end;

  /** The first place that was not looked at yet. */
  int next;

  int batchesSubmitted;
  int batchesInFlight;
  int outstanding;
  int missing;
  boolean failed;
  boolean attached = true;
  boolean listedReady;
  int arrived;

  /** From when on its time counts. */
  long submittedNanos;

  /** Whether its limits are settled: nothing is submitted before. */
  boolean planned = true;

  /** Whether somebody is asked before each further batch. */
  boolean stepwise;

  /** Whether the question is out, and whether the next batch may go. */
  boolean stepAsked;

  boolean mayStep;

  /** The question of how it is read; 0 when nobody was asked. */
  long planTicket;

  private @Nullable BitSet read;

  /**
   * Nothing is submitted yet.
   *
   * @param owner told nothing; {@link Reads#ready} names it
   * @param keys of all groups one after another; not changed
   * @param reservation of all pages; the task's from now on
   * @param permit held until the last report
   */
  public ReadTask(
      Owner owner,
      Instance instance,
      int[] groups,
      int[] pagesOfGroup,
      long[] keys,
      Purpose purpose,
      boolean speculative,
      ReadLimits limits,
      Reservation reservation,
      Permit permit) {
    this.owner = owner;
    this.instance = instance;
    this.groups = groups;
    this.pagesOfGroup = pagesOfGroup;
    this.keys = keys;
    this.purpose = purpose;
    this.speculative = speculative;
    this.limits = limits;
    this.reservation = reservation;
    this.permit = permit;
    this.end = keys.length / 2;
    this.missing = end;
    this.pages = new int[end];
    Arrays.fill(pages, Residency.NONE);
    this.places = new byte[end];
    permit.hold();
  }

  /** Whose task it is. */
  public interface Owner {}

  /** What the pages are for. */
  public enum Purpose {
    /** The longest prefix that can be had. */
    PREFIX,
    /** All pages or nothing. */
    ALL,
    /** Pages in the reclaimable class, which nobody holds. */
    WARMING
  }

  /**
   * How a task submits.
   *
   * @param batchPages pages of one batch
   * @param maxBatches 0 for no limit
   * @param pipeline batches in flight
   */
  public record ReadLimits(int batchPages, int maxBatches, int pipeline) {}

  /** Whose. */
  public Owner owner() {
    return owner;
  }

  /** The generation whose pages they are. */
  public Instance instance() {
    return instance;
  }

  /** What its bytes are booked on. */
  public Reservation reservation() {
    return reservation;
  }

  /** Pages that reads brought for it. */
  public int arrived() {
    return arrived;
  }

  /** Its limits are told to {@link Reads#proceed} once it has started. */
  public void awaitPlan() {
    planned = false;
  }

  /** Whether its limits are settled. */
  public boolean planned() {
    return planned;
  }

  /** Its time counts from here on. */
  public void submittedAt(long nanos) {
    submittedNanos = nanos;
  }

  /** Places that are wanted. */
  public int wanted() {
    return end;
  }

  /** Places that are there. */
  public int present() {
    int count = 0;
    for (int place = 0; place < end; place++) {
      count += places[place] == HERE ? 1 : 0;
    }
    return count;
  }

  /** The first places that reads brought, or null for none. */
  public @Nullable BitSet readOf(int count) {
    if (read == null) {
      return null;
    }
    BitSet kept = read.get(0, count);
    return kept.isEmpty() ? null : kept;
  }

  void readAt(int place) {
    if (read == null) {
      read = new BitSet(pages.length);
    }
    read.set(place);
  }

  ReadLimits limits() {
    return limits;
  }

  void limits(ReadLimits settled) {
    limits = settled;
  }

  Permit permit() {
    return permit;
  }

  boolean strict() {
    return purpose == Purpose.ALL;
  }

  boolean holds() {
    return purpose != Purpose.WARMING;
  }

  int total() {
    return pages.length;
  }

  int[] groups() {
    return groups;
  }

  int[] pagesOfGroup() {
    return pagesOfGroup;
  }

  /** The group of a place. */
  int groupOf(int place) {
    int left = place;
    for (int i = 0; i < groups.length; i++) {
      if (left < pagesOfGroup[i]) {
        return groups[i];
      }
      left -= pagesOfGroup[i];
    }
    throw new IndexOutOfBoundsException(place);
  }

  /** Bytes that the owner is charged for the first places. */
  long bytesOf(int count) {
    if (groups.length == 1) {
      return count * instance.pageBytes(groups[0]);
    }
    long bytes = 0;
    int left = count;
    for (int i = 0; i < groups.length && left > 0; i++) {
      int here = Math.min(left, pagesOfGroup[i]);
      bytes += here * instance.pageBytes(groups[i]);
      left -= here;
    }
    return bytes;
  }

  int page(int place) {
    return pages[place];
  }

  int[] firstPages(int count) {
    return Arrays.copyOf(pages, count);
  }

  boolean isHere(int place) {
    return places[place] == HERE;
  }

  boolean isInFlight(int place) {
    return places[place] == IN_FLIGHT;
  }

  void inFlight(int place, int page) {
    places[place] = IN_FLIGHT;
    pages[place] = page;
    outstanding++;
  }

  void notInFlight(int place) {
    places[place] = PENDING;
    pages[place] = Residency.NONE;
    outstanding--;
  }

  void here(int place, int page) {
    places[place] = HERE;
    pages[place] = page;
    missing--;
  }

  /** The completed contiguous prefix. */
  public int prefix() {
    int count = 0;
    while (count < end && places[count] == HERE) {
      count++;
    }
    return count;
  }

  /** Nothing at or after a place is wanted any more. */
  void cut(int place) {
    for (int i = place; i < end; i++) {
      missing -= places[i] == HERE ? 0 : 1;
    }
    end = Math.min(end, place);
  }

  /** Whether there is nothing left to wait for. */
  boolean complete() {
    return failed || missing == 0;
  }

  /** Somebody is asked how it is read. */
  public void planAsked(long ticket) {
    planTicket = ticket;
  }
}
