package io.orbitkv.model;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PageBatch.Origin;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ModelRun} with times: a backing tier, a link and an engine, each a queue. A request that
 * the engine does not have as a whole is looked for in the tiers; what lies in the backing tier is
 * read, what is found is copied over the link, and then its prompt's rest waits for the engine,
 * which computes one prompt after another and others while one is read. Of those that are ready it
 * takes the one that came first: who waited for a read keeps its place, as in vLLM. What was
 * computed is copied to host memory after its first token, and until that is done the engine takes
 * no other prompt: with an engine that computes and copies at once eight to nine milliseconds were
 * measured for a copy that takes seven, so there is nothing to gain by hiding it.
 *
 * <p>The contents of the tiers change when a request is served, in the order of service, not when
 * its last byte has moved: times follow from contents and not the other way, but for cutoffs and
 * for writes, of which those are dropped that find the queue of writes full. A cutoff is asked
 * before a read; of its limits {@code restorePages}, {@code batchBytes} with {@code maxBatches},
 * and {@code deadline} are modelled. One thread.
 */
public final class TimedModel {
  private static final double NANOS_PER_SECOND = 1e9;
  private static final String INSTANCE = "model";

  /** Of the newest read in what is measured. */
  private static final double NEWEST_SHARE = 0.1;

  /** Of the writes that wait, those that the tier itself has; the Manager's default. */
  private static final long WRITE_IN_FLIGHT_BYTES = 64L << 20;

  private final ModelTrace trace;
  private final ModelSettings settings;
  private final TimedSettings times;
  private final Contents run;
  private final double stretch;
  private final ModelTier device;
  private final List<HostedPolicy> cutoffs;
  private final RequestOutcome[] outcomes;
  private final SharedDisk disk = new SharedDisk();
  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final PriorityQueue<Prompt> ready =
      new PriorityQueue<>(Comparator.comparingInt(Prompt::request));

  private long sequence;
  private long orders;
  private int next;
  private double linkFreeAt;
  private double lastReadEnds;
  private double readRate;
  private boolean computing;
  private double computedAt;
  private long queuedTokens;

  private enum Kind {
    ARRIVES,
    READ,
    COPIED,
    FREE
  }

  private record Event(double at, long sequence, Kind kind, @Nullable Prompt prompt)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Double.compare(at, other.at);
      return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
    }
  }

  /** What is left of a request to be computed. */
  private record Prompt(int request, double start, double copySeconds, int tokens) {}

  /**
   * A run with empty tiers.
   *
   * @param policies by slot; a cutoff among them is asked first
   * @param furtherCutoffs asked too; of all answers the strictest counts
   */
  public TimedModel(
      ModelTrace trace,
      ModelSettings settings,
      TimedSettings times,
      Map<PolicySlot, HostedPolicy> policies,
      List<HostedPolicy> furtherCutoffs) {
    this(
        trace,
        settings,
        times,
        new ModelRun(trace, settings, policies),
        1,
        cutoffs(policies, furtherCutoffs));
  }

  /**
   * Another run of what was recorded.
   *
   * @param stretch times the time between two requests of an open loop
   */
  public TimedModel(
      Recording recording, TimedSettings times, double stretch, List<HostedPolicy> cutoffs) {
    this(
        recording.trace(),
        recording.settings(),
        times.withDevice(0),
        recording.contents(),
        stretch,
        cutoffs);
  }

  private TimedModel(
      ModelTrace trace,
      ModelSettings settings,
      TimedSettings times,
      Contents run,
      double stretch,
      List<HostedPolicy> cutoffs) {
    this.trace = trace;
    this.settings = settings;
    this.times = times;
    this.run = run;
    this.stretch = stretch;
    this.cutoffs = List.copyOf(cutoffs);
    int devicePages =
        (int) Math.min(Integer.MAX_VALUE / 2, times.deviceBytes() / settings.pageBytes());
    device = new ModelTier(trace, devicePages, settings.pageBytes(), settings.rule(), null, 0);
    outcomes = new RequestOutcome[trace.requests()];
    readRate = times.ssdReadBytesPerSecond();
  }

  private static List<HostedPolicy> cutoffs(
      Map<PolicySlot, HostedPolicy> policies, List<HostedPolicy> further) {
    List<HostedPolicy> cutoffs = new ArrayList<>(further);
    HostedPolicy first = policies.get(PolicySlot.CUTOFF);
    if (first != null) {
      cutoffs.addFirst(first);
    }
    return cutoffs;
  }

  /** Serves all requests. */
  public List<RequestOutcome> run() {
    int first = times.concurrency() > 0 ? times.concurrency() : 1;
    for (int i = 0; i < first && next < trace.requests(); i++) {
      arrive(0);
    }
    for (Event event = events.poll(); event != null; event = events.poll()) {
      handle(event);
    }
    return List.of(outcomes);
  }

  private void handle(Event event) {
    Prompt prompt = event.prompt();
    switch (event.kind()) {
      case ARRIVES -> {
        if (prompt != null) {
          serve(prompt.request(), event.at());
        }
        if (times.concurrency() == 0 && next < trace.requests()) {
          arrive(0);
        }
      }
      case READ -> {
        if (prompt != null) {
          // Copies are made in the order in which they can be.
          linkFreeAt = Math.max(linkFreeAt, event.at()) + prompt.copySeconds();
          push(prompt.copySeconds() == 0 ? event.at() : linkFreeAt, Kind.COPIED, prompt);
        }
      }
      case COPIED -> {
        if (prompt != null) {
          ready.add(prompt);
        }
        compute(event.at());
      }
      case FREE -> {
        computing = false;
        compute(event.at());
      }
    }
  }

  /** The next request, at its arrival or, in a closed loop, now. */
  private void arrive(double now) {
    double at =
        times.concurrency() > 0 ? now : stretch * trace.arrivalNanos(next) / NANOS_PER_SECOND;
    push(at, Kind.ARRIVES, new Prompt(next++, at, 0, 0));
  }

  private void push(double at, Kind kind, @Nullable Prompt prompt) {
    events.add(new Event(at, sequence++, kind, prompt));
  }

  private void serve(int r, double start) {
    disk.advance(start);
    long nanos = Math.round(start * NANOS_PER_SECOND);
    int onDevice = hitOnDevice(r, nanos);
    ModelRun.Found found = run.find(r, onDevice);
    int restore = found.pages();
    double deadline = Double.POSITIVE_INFINITY;
    if (found.ssdPages() > 0) {
      for (HostedPolicy cutoff : cutoffs) {
        cutoff.context().advance(nanos, cutoff.policy());
        ReadLimits limits = plan(cutoff, r, onDevice, found, start);
        restore = Math.min(restore, pages(limits, found, onDevice, start));
        if (limits.deadline().isPositive()) {
          deadline = Math.min(deadline, start + limits.deadline().toNanos() / NANOS_PER_SECOND);
        }
      }
    }
    RequestOutcome outcome = run.serve(r, nanos, onDevice, restore, writeRoomPages());
    outcomes[r] = outcome;
    double read = outcome.ssdReadBytes() / times.ssdReadBytesPerSecond();
    double isRead = start;
    if (read > 0) {
      isRead = disk.endOfRead(read);
      measured(outcome.ssdReadBytes(), isRead - Math.max(start, lastReadEnds));
      lastReadEnds = isRead;
      disk.read(read);
    } else if (restore < found.pages() && deadline < Double.POSITIVE_INFINITY) {
      // It was waited for in vain.
      double all = found.ssdPages() * settings.pageBytes() / times.ssdReadBytesPerSecond();
      isRead = Math.min(deadline, disk.endOfRead(all));
    }
    disk.write(outcome.ssdWrittenBytes() / times.ssdWriteBytesPerSecond());
    int hit = outcome.hitPages();
    int rest = Math.max(1, trace.inputTokens(r) - hit * trace.pageTokens());
    queuedTokens += rest;
    double copy = (hit - onDevice) * settings.pageBytes() / times.linkBytesPerSecond();
    push(isRead, Kind.READ, new Prompt(r, start, copy, rest));
  }

  /** The longest prefix that the engine has; all of the prompt is there afterwards. */
  private int hitOnDevice(int r, long nanos) {
    if (device.capacity() == 0) {
      return 0;
    }
    int pages = trace.pages(r);
    long first = orders;
    orders += pages;
    device.begin(r, nanos);
    int hit = 0;
    while (hit < pages && device.contains(trace.page(r, hit))) {
      hit++;
    }
    boolean room = true;
    for (int i = 0; i < pages && room; i++) {
      int page = trace.page(r, i);
      long order = first + pages - i;
      if (device.contains(page)) {
        device.use(page, order);
      } else {
        room = device.insert(page, order, Origin.PUBLISH);
      }
    }
    device.end();
    return hit;
  }

  /** What the Manager measures: reads beside writes are slower than the disk alone. */
  private void measured(long bytes, double seconds) {
    double rate = Math.min(times.ssdReadBytesPerSecond(), bytes / Math.max(1e-9, seconds));
    readRate += NEWEST_SHARE * (rate - readRate);
  }

  private int writeRoomPages() {
    if (times.writeQueueBytes() == 0) {
      return Integer.MAX_VALUE;
    }
    double queued = disk.writes() * times.ssdWriteBytesPerSecond();
    return (int) Math.max(0, (times.writeQueueBytes() - queued) / settings.pageBytes());
  }

  private void compute(double now) {
    if (computing) {
      return;
    }
    Prompt prompt = ready.poll();
    if (prompt == null) {
      return;
    }
    computing = true;
    computedAt = now + prompt.tokens() / times.prefillTokensPerSecond();
    queuedTokens -= prompt.tokens();
    double firstToken = computedAt + times.requestSeconds();
    RequestOutcome outcome = outcomes[prompt.request()];
    outcomes[prompt.request()] = outcome.withTtft(firstToken - prompt.start());
    push(firstToken + outcome.publishedBytes() / times.linkBytesPerSecond(), Kind.FREE, null);
    if (times.concurrency() > 0 && next < trace.requests()) {
      int more = Math.max(0, trace.outputTokens(prompt.request()) - 1);
      arrive(firstToken + more * times.outputTokenSeconds());
    }
  }

  /** What the engine has still to compute. */
  private long tokensToCompute(double now) {
    double begun = computing ? Math.max(0, computedAt - now) : 0;
    return Math.round(queuedTokens + begun * times.prefillTokensPerSecond());
  }

  /** Pages of what was found that the limits leave. */
  private int pages(ReadLimits limits, ModelRun.Found found, int onDevice, double start) {
    int pages = Math.clamp((long) limits.restorePages() - onDevice, 0, found.pages());
    if (limits.batchBytes() > 0 && limits.maxBatches() > 0) {
      long batched = limits.batchBytes() / settings.pageBytes() * limits.maxBatches();
      pages = (int) Math.min(pages, found.dramPages() + batched);
    }
    if (limits.deadline().isPositive()) {
      double until = start + limits.deadline().toNanos() / NANOS_PER_SECOND;
      double readBytes = disk.readBy(until) * times.ssdReadBytesPerSecond();
      // So that a page that is there at the very moment counts.
      long inTime = (long) (readBytes / settings.pageBytes() + 1e-6);
      if (inTime < found.ssdPages()) {
        boolean handsOver = limits.onDeadline() == OnDeadline.HAND_OVER;
        pages = (int) Math.min(pages, handsOver ? found.dramPages() + inTime : 0);
      }
    }
    return pages;
  }

  private ReadLimits plan(
      HostedPolicy cutoff, int r, int onDevice, ModelRun.Found found, double start) {
    int pages = trace.pages(r);
    int last = trace.page(r, pages - 1);
    RequestFacts request =
        new RequestFacts(
            INSTANCE,
            Integer.toString(r),
            "",
            Math.round(start * NANOS_PER_SECOND),
            trace.inputTokens(r),
            pages,
            new ChainFacts(
                trace.id(last),
                Facts.UNKNOWN,
                0,
                onDevice + found.pages(),
                0,
                (onDevice + found.pages()) * settings.pageBytes(),
                TierKind.SSD,
                Facts.UNKNOWN,
                1,
                trace.unitHash(last)),
            onDevice,
            found.dramPages(),
            found.ssdPages(),
            false,
            List.of());
    TierFacts stored = run.ssdFacts();
    TierFacts source =
        new TierFacts(
            TierKind.SSD,
            stored.capacityBytes(),
            stored.freeBytes(),
            queuedBytes(),
            Math.round(readRate),
            Math.round(times.ssdWriteBytesPerSecond()),
            Math.round(settings.pageBytes() / readRate * NANOS_PER_SECOND),
            stored.writeBudgetLeft());
    EngineFacts engine =
        new EngineFacts(
            INSTANCE, Math.round(times.prefillTokensPerSecond()), 0, tokensToCompute(start));
    return ((CutoffPolicy) cutoff.policy()).plan(request, source, engine);
  }

  /** As the Manager tells it: of the writes those alone that the tier has already. */
  private long queuedBytes() {
    double reads = disk.reads() * times.ssdReadBytesPerSecond();
    double writes = Math.min(WRITE_IN_FLIGHT_BYTES, disk.writes() * times.ssdWriteBytesPerSecond());
    return Math.round(reads + writes);
  }
}
