package io.orbitkv.policy.restoreorrecompute;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.TierKind;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * One backing tier and one engine, each doing one thing after another: a request reads what it
 * restores, then computes the rest. Requests arrive at random, or a fixed number of clients each
 * send the next one when the last has its first token. Times in seconds.
 */
final class QueueSimulation {
  static final int PAGE_TOKENS = 64;
  static final long PAGE_BYTES = PAGE_TOKENS * 147_456L;
  private static final int REQUESTS = 2_000;

  private final double bytesPerSecond;
  private final double tokensPerSecond;
  private final boolean queueTold;
  private final List<Prompt> prompts;
  private final Planner planner;
  private final Clock clock;
  private final PriorityQueue<Event> events =
      new PriorityQueue<>(Comparator.comparingDouble(Event::time).thenComparing(Event::order));
  private final Deque<Integer> ready = new ArrayDeque<>();
  private final double[] arrived;
  private final int[] left;
  private double now;
  private double tierFreeAt;
  private double engineFreeAt;
  private int running = -1;
  private long queuedTokens;
  private long order;
  private int next;
  private double sum;

  /** Decides how many stored pages are read. */
  interface Planner {
    int pages(RequestFacts request, TierFacts tier, EngineFacts engine);
  }

  /** Is told the time before each decision. */
  interface Clock {
    void at(long nanos);
  }

  /** A request: pages in host memory, then stored ones, then new ones, and when it comes. */
  record Prompt(double atSeconds, int pages, int dramPages, int ssdPages) {}

  private enum Kind {
    ARRIVES,
    READ,
    COMPUTED
  }

  private record Event(double time, long order, Kind kind, int request) {}

  QueueSimulation(
      double bytesPerSecond,
      double tokensPerSecond,
      boolean queueTold,
      List<Prompt> prompts,
      Planner planner,
      Clock clock) {
    this.bytesPerSecond = bytesPerSecond;
    this.tokensPerSecond = tokensPerSecond;
    this.queueTold = queueTold;
    this.prompts = prompts;
    this.planner = planner;
    this.clock = clock;
    arrived = new double[prompts.size()];
    left = new int[prompts.size()];
  }

  /**
   * Prompts of 1 to 16 thousand tokens.
   *
   * @param continued share of prompts that continue something, which is mostly in the store
   */
  static List<Prompt> prompts(long seed, double requestsPerSecond, double continued) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Prompt> all = new ArrayList<>();
    double at = 0;
    for (int i = 0; i < REQUESTS; i++) {
      at += -Math.log(1 - random.nextDouble()) / requestsPerSecond;
      int pages = (int) (16 * Math.exp(random.nextDouble() * Math.log(16)));
      int hit =
          random.nextDouble() >= continued ? 0 : (int) (pages * (0.5 + 0.45 * random.nextDouble()));
      int dram =
          switch (random.nextInt(4)) {
            case 0 -> hit;
            case 1 -> hit / 4;
            default -> 0;
          };
      all.add(new Prompt(at, pages, dram, hit - dram));
    }
    return all;
  }

  /** Mean tokens of a prompt of which nothing stored is restored. */
  static double meanTokens(List<Prompt> prompts) {
    return prompts.stream()
        .mapToInt(prompt -> (prompt.pages() - prompt.dramPages()) * PAGE_TOKENS)
        .average()
        .orElseThrow();
  }

  /** Mean time to first token of requests that come when they come. */
  double open() {
    for (int i = 0; i < prompts.size(); i++) {
      push(prompts.get(i).atSeconds(), Kind.ARRIVES, i);
    }
    next = prompts.size();
    return run();
  }

  /** Mean time to first token of clients that send one request after another. */
  double closed(int clients) {
    while (next < clients) {
      push(0, Kind.ARRIVES, next++);
    }
    return run();
  }

  private double run() {
    while (!events.isEmpty()) {
      Event event = events.remove();
      now = event.time();
      switch (event.kind()) {
        case ARRIVES -> arrives(event.request());
        case READ -> {
          ready.add(event.request());
          start();
        }
        case COMPUTED -> {
          running = -1;
          queuedTokens -= left[event.request()];
          sum += now - arrived[event.request()];
          if (next < prompts.size()) {
            push(now, Kind.ARRIVES, next++);
          }
          start();
        }
      }
    }
    return sum / prompts.size();
  }

  private void arrives(int request) {
    Prompt prompt = prompts.get(request);
    arrived[request] = now;
    clock.at((long) (now * 1e9));
    int read = prompt.ssdPages() == 0 ? 0 : planner.pages(request(prompt), tier(), engine());
    left[request] = (prompt.pages() - prompt.dramPages() - read) * PAGE_TOKENS;
    queuedTokens += left[request];
    if (read == 0) {
      push(now, Kind.READ, request);
      return;
    }
    tierFreeAt = Math.max(now, tierFreeAt) + read * PAGE_BYTES / bytesPerSecond;
    push(tierFreeAt, Kind.READ, request);
  }

  private void start() {
    if (running < 0 && !ready.isEmpty()) {
      running = ready.remove();
      engineFreeAt = now + left[running] / tokensPerSecond;
      push(engineFreeAt, Kind.COMPUTED, running);
    }
  }

  private void push(double time, Kind kind, int request) {
    events.add(new Event(time, order++, kind, request));
  }

  private TierFacts tier() {
    long queued = (long) (Math.max(0, tierFreeAt - now) * bytesPerSecond);
    return new TierFacts(
        TierKind.SSD,
        1L << 40,
        0,
        queued,
        (long) bytesPerSecond,
        Facts.UNKNOWN,
        100_000,
        Facts.UNKNOWN);
  }

  private EngineFacts engine() {
    long done = running < 0 ? 0 : left[running] - (long) ((engineFreeAt - now) * tokensPerSecond);
    long queue = queueTold ? Math.max(0, queuedTokens - done) : Facts.UNKNOWN;
    return new EngineFacts("engine", (long) tokensPerSecond, 0, queue);
  }

  private static RequestFacts request(Prompt prompt) {
    int known = prompt.dramPages() + prompt.ssdPages();
    return new RequestFacts(
        "engine",
        "request",
        "",
        0,
        prompt.pages() * PAGE_TOKENS,
        prompt.pages(),
        new ChainFacts(1, Facts.UNKNOWN, 0, known, 0, known * PAGE_BYTES, TierKind.SSD, 0, 1, 0.5),
        0,
        prompt.dramPages(),
        prompt.ssdPages(),
        false,
        List.of());
  }
}
