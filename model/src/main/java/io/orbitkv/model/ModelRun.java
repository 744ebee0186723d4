package io.orbitkv.model;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.EnumMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One run of a trace through two tiers. A request finds the longest prefix that is in either tier,
 * has what lies in the backing tier read into host memory, and publishes the rest; pages that are
 * in host memory and not in the backing tier are offered to it. Policies are called inline, so they
 * are never late; a slot without a policy runs the built-in default. One thread.
 *
 * <p>{@link #serve} does one request; {@link #run} all of them at their arrival. Made for one pass
 * over the trace.
 */
public final class ModelRun implements Contents {
  private static final double NANOS_PER_SECOND = 1e9;

  /** A page that is touched was used before if it was asked for more often than once. */
  private static final int TOUCHED_BEFORE = 1;

  private final Prompts trace;
  private final ModelSettings settings;
  private final Map<PolicySlot, HostedPolicy> policies;
  private final Collection<HostedPolicy> instances;
  private final ModelTier dram;
  private final ModelTier ssd;
  private final int[] seen;
  private long orders;
  private long nowNanos;
  private boolean writesLimited;
  private double allowanceBytes;
  private long refusedByLimit;

  /**
   * A run with empty tiers.
   *
   * @param policies by slot; instances of this run alone
   * @throws IllegalArgumentException when a policy does not fit its slot
   */
  public ModelRun(
      ModelTrace trace, ModelSettings settings, Map<PolicySlot, HostedPolicy> policies) {
    this((Prompts) trace, settings, policies);
  }

  /** The same of requests that are not known beforehand; {@link #run} is not for these. */
  ModelRun(Prompts trace, ModelSettings settings, Map<PolicySlot, HostedPolicy> policies) {
    policies.forEach((slot, hosted) -> {
      if (!slot.type().isInstance(hosted.policy())) {
        throw new IllegalArgumentException(
            "policy [" + hosted.name() + "] does not serve in slot [" + slot.key() + "]");
      }
    });
    this.trace = trace;
    this.settings = settings;
    this.policies = new EnumMap<>(PolicySlot.class);
    this.policies.putAll(policies);
    IdentityHashMap<Policy, HostedPolicy> distinct = new IdentityHashMap<>();
    policies.values().forEach(hosted -> distinct.put(hosted.policy(), hosted));
    instances = List.copyOf(distinct.values());
    dram = tier(settings.dramPages(), PolicySlot.RETENTION_DRAM, settings.seed());
    ssd = tier(settings.ssdPages(), PolicySlot.RETENTION_SSD, settings.seed() + 1);
    seen = new int[trace.distinctPages()];
    writesLimited = settings.writeBytesPerSecond() > 0;
    allowanceBytes = settings.writeBytesPerSecond() * ModelSettings.FIRST_ALLOWANCE_SECONDS;
  }

  private ModelTier tier(int pages, PolicySlot slot, long seed) {
    HostedPolicy hosted = policies.get(slot);
    RetentionPolicy policy = hosted == null ? null : (RetentionPolicy) hosted.policy();
    return new ModelTier(trace, pages, settings.pageBytes(), settings.rule(), policy, seed);
  }

  /** All requests at their arrival, without times. */
  public List<RequestOutcome> run() {
    if (!(trace instanceof ModelTrace whole)) {
      throw new IllegalStateException("requests that come one by one are served one by one");
    }
    List<RequestOutcome> outcomes = new ArrayList<>(whole.requests());
    for (int r = 0; r < whole.requests(); r++) {
      outcomes.add(serve(r, whole.arrivalNanos(r), Integer.MAX_VALUE));
    }
    return outcomes;
  }

  /** What a request would find now; changes nothing. */
  public Found find(int r) {
    return find(r, 0);
  }

  @Override
  public Found find(int r, int devicePages) {
    int pages = trace.pages(r);
    int inDram = 0;
    int inSsd = 0;
    for (int i = devicePages; i < pages; i++) {
      int page = trace.page(r, i);
      if (dram.contains(page)) {
        inDram++;
      } else if (ssd.contains(page)) {
        inSsd++;
      } else {
        break;
      }
    }
    return new Found(inDram, inSsd);
  }

  /**
   * Where a prefix hit lies.
   *
   * @param dramPages in host memory
   * @param ssdPages only in the backing tier
   */
  public record Found(int dramPages, int ssdPages) {
    /** Pages of the hit. */
    public int pages() {
      return dramPages + ssdPages;
    }
  }

  /**
   * Serves one request: hit, read, publish, write.
   *
   * @param atNanos not before the request served last
   * @param restorePages use at most so many pages of the hit; the others are published anew
   * @return its outcome with a time to first token of 0
   */
  public RequestOutcome serve(int r, long atNanos, int restorePages) {
    return serve(r, atNanos, 0, restorePages, Integer.MAX_VALUE);
  }

  @Override
  public RequestOutcome serve(
      int r, long atNanos, int devicePages, int restorePages, int writePages) {
    advance(atNanos);
    int pages = trace.pages(r);
    long first = orders;
    orders += pages;
    dram.begin(r, atNanos);
    ssd.begin(r, atNanos);
    int found = devicePages + find(r, devicePages).pages();
    int hit = (int) Math.min(found, (long) devicePages + restorePages);
    for (int i = devicePages; i < pages; i++) {
      int page = trace.page(r, i);
      // Also beyond the hit: what is there must not give way to what hangs on it.
      if (dram.contains(page)) {
        dram.hold(page);
      }
    }
    int[] read = missing(r, devicePages, hit);
    int fromSsd = read.length;
    int fromDram = hit - devicePages - fromSsd;
    boolean _ = dram.makeRoom(fromSsd);
    for (int i : read) {
      if (!dram.insert(trace.page(r, i), order(r, i, first), Origin.DEMAND)) {
        break;
      }
    }
    for (int i = devicePages; i < found; i++) {
      int page = trace.page(r, i);
      long order = first + pages - i;
      // Found is used, whether it is read or not: it was asked for.
      if (ssd.contains(page)) {
        ssd.use(page, order);
      }
      if (dram.contains(page)) {
        dram.use(page, order);
      }
    }
    promote(r, read);
    // With a policy every touch is an occasion to write; otherwise pages are offered once.
    long written =
        policies.containsKey(PolicySlot.ADMISSION_SSD)
            ? write(r, devicePages, hit, first, TOUCHED_BEFORE, writePages)
            : 0;
    dram.settle();
    int published = publish(r, hit, first);
    written += hit == pages ? 0 : write(r, devicePages, pages, first, 0, writePages - written);
    for (int i = devicePages; i < pages; i++) {
      int page = trace.page(r, i);
      seen[page]++;
    }
    dram.end();
    ssd.end();
    dram.settle();
    return new RequestOutcome(
        r,
        atNanos,
        pages,
        devicePages,
        fromDram,
        fromSsd,
        published * settings.pageBytes(),
        fromSsd * settings.pageBytes(),
        written * settings.pageBytes(),
        0,
        trace.chainRoot(r));
  }

  /** Pages refused because the write allowance was used up. */
  public long refusedByLimit() {
    return refusedByLimit;
  }

  /** Victims that host memory chose in the order of their last use although a policy serves. */
  public long victimsByDefault() {
    return dram.victimsByDefault();
  }

  /** From now on no more is written than was granted. */
  void limitWrites() {
    writesLimited = true;
  }

  /** Adds to what may be written. */
  void grantWrites(double bytes) {
    allowanceBytes += bytes;
  }

  /** Whether a page is in either tier. */
  boolean holds(int page) {
    return dram.contains(page) || ssd.contains(page);
  }

  /** A page's number is about to stand for another one; no tier has it, nor one behind it. */
  void forget(int page) {
    seen[page] = 0;
    dram.forget(page);
    ssd.forget(page);
  }

  /** Whether every tier that there is was full and had to give up pages. */
  boolean turnedOver() {
    return dram.turnedOver() && ssd.turnedOver();
  }

  /** The backing tier now, as policies see it. */
  @Override
  public TierFacts ssdFacts() {
    return new TierFacts(
        TierKind.SSD,
        (long) ssd.capacity() * settings.pageBytes(),
        (long) (ssd.capacity() - ssd.size()) * settings.pageBytes(),
        0,
        Facts.UNKNOWN,
        Facts.UNKNOWN,
        Facts.UNKNOWN,
        writesLimited ? (long) allowanceBytes : Long.MAX_VALUE);
  }

  private TierFacts dramFacts() {
    return new TierFacts(
        TierKind.DRAM,
        (long) dram.capacity() * settings.pageBytes(),
        (long) (dram.capacity() - dram.size()) * settings.pageBytes(),
        0,
        Facts.UNKNOWN,
        Facts.UNKNOWN,
        Facts.UNKNOWN,
        Long.MAX_VALUE);
  }

  /** Moves the clock; timers of policies go off. */
  void advance(long toNanos) {
    allowanceBytes += settings.writeBytesPerSecond() * (toNanos - nowNanos) / NANOS_PER_SECOND;
    nowNanos = toNanos;
    for (HostedPolicy hosted : instances) {
      hosted.context().advance(toNanos, hosted.policy());
    }
  }

  /** Places of the hit that are neither on the device nor in host memory. */
  private int[] missing(int r, int devicePages, int hit) {
    int[] places = new int[hit - devicePages];
    int count = 0;
    for (int i = devicePages; i < hit; i++) {
      if (!dram.contains(trace.page(r, i))) {
        places[count++] = i;
      }
    }
    return Arrays.copyOf(places, count);
  }

  /** One question for all that was read; what is not to stay goes first. */
  private void promote(int r, int[] read) {
    if (read.length == 0
        || admits(
            PolicySlot.ADMISSION_PROMOTE,
            r,
            read[0],
            read[0] + read.length,
            TierKind.SSD,
            dramFacts())) {
      return;
    }
    for (int i : read) {
      if (dram.contains(trace.page(r, i))) {
        dram.reclaim(trace.page(r, i));
      }
    }
  }

  /**
   * Asks for every run of new pages, before any enters. A run enters although the one before it was
   * refused, as in the kernel, where each rank cuts its publishes as it likes.
   *
   * @return pages copied from the device
   */
  private int publish(int r, int hit, long first) {
    int pages = trace.pages(r);
    BitSet refused = new BitSet(pages);
    int from = hit;
    while (from < pages) {
      int to = runEnd(r, from, pages, 0);
      if (!admits(PolicySlot.ADMISSION_DRAM, r, from, to, TierKind.DEVICE, dramFacts())) {
        refused.set(from, to);
      }
      from = to;
    }
    int fresh = 0;
    for (int i = refused.nextClearBit(hit); i < pages; i = refused.nextClearBit(i + 1)) {
      fresh += dram.contains(trace.page(r, i)) ? 0 : 1;
    }
    boolean _ = dram.makeRoom(fresh);
    int copied = 0;
    for (int i = refused.nextClearBit(hit); i < pages; i = refused.nextClearBit(i + 1)) {
      int page = trace.page(r, i);
      if (dram.contains(page)) {
        continue;
      }
      if (!dram.insert(page, order(r, i, first), Origin.PUBLISH)) {
        return copied;
      }
      copied++;
    }
    return copied;
  }

  /**
   * Offers what is in host memory alone to the backing tier: first the pages of the hit, which were
   * touched, then those published now with what is missing before them, as they reach the kernel at
   * two times.
   *
   * @param devicePages pages at the beginning that the device has: nobody asked for them here
   * @param pages the pages to offer, up to that place in the prompt
   * @param before a run ends where pages asked for more often than that meet others
   * @param mostPages how many the queue of writes takes
   * @return pages written
   */
  private long write(int r, int devicePages, int pages, long first, int before, long mostPages) {
    if (ssd.capacity() == 0) {
      return 0;
    }
    int from = devicePages;
    while (from < pages && ssd.contains(trace.page(r, from))) {
      from++;
    }
    long written = 0;
    while (from < pages && dram.contains(trace.page(r, from))) {
      int to = runEnd(r, from, pages, before);
      while (to > from + 1 && !dram.contains(trace.page(r, to - 1))) {
        to--;
      }
      if (!admits(PolicySlot.ADMISSION_SSD, r, from, to, TierKind.DRAM, ssdFacts())) {
        return written;
      }
      for (int i = from; i < to; i++) {
        int page = trace.page(r, i);
        if (ssd.contains(page)) {
          continue;
        }
        if (writesLimited && allowanceBytes < settings.pageBytes()) {
          refusedByLimit += to - i;
          return written;
        }
        if (written >= mostPages || !ssd.insert(page, order(r, i, first), Origin.PUBLISH)) {
          return written;
        }
        allowanceBytes -= writesLimited ? settings.pageBytes() : 0;
        written++;
      }
      from = to;
    }
    return written;
  }

  private long order(int r, int i, long first) {
    return first + trace.pages(r) - i;
  }

  /** A run ends where pages that were asked for more than so many times before meet others. */
  private int runEnd(int r, int from, int limit, int before) {
    boolean known = seen[trace.page(r, from)] > before;
    int to = from + 1;
    while (to < limit && seen[trace.page(r, to)] > before == known) {
      to++;
    }
    return to;
  }

  private boolean admits(PolicySlot slot, int r, int from, int to, TierKind now, TierFacts target) {
    @Nullable HostedPolicy hosted = policies.get(slot);
    if (hosted == null) {
      return true;
    }
    int firstPage = trace.page(r, from);
    int before = trace.parent(firstPage);
    ChainFacts chain =
        new ChainFacts(
            trace.id(firstPage),
            before == ModelTrace.NONE ? Facts.UNKNOWN : trace.id(before),
            from,
            to - from,
            dram.children(trace.page(r, to - 1)),
            (to - from) * settings.pageBytes(),
            now,
            // That it is asked for now counts as a use, but for a page that nobody knew.
            seen[firstPage] == 0 ? Facts.UNKNOWN : nowNanos,
            seen[firstPage],
            trace.unitHash(firstPage));
    return ((AdmissionPolicy) hosted.policy()).admit(chain, target) instanceof Admission.Admit;
  }
}
