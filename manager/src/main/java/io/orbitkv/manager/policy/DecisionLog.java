package io.orbitkv.manager.policy;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Counts decisions, times calls and writes the journal. Dispatcher. */
final class DecisionLog {
  private static final long[] NOTHING = new long[2];
  private static final String CALLS = "orbitkv_policy_call_duration_seconds";

  private final Journal journal;
  private final MeterRegistry registry;
  private final LongSupplier clock;
  private final LongSupplier wallMillis;
  private final Map<SlotBook, Timer> calls = new HashMap<>();
  // By variant, of which there are three.
  private final Map<String, long[]> counts = new HashMap<>();

  /**
   * What a decision is about.
   *
   * @param ticket of the question; 0 for none
   * @param request the engine's name of the request; empty for none
   * @param chain id of the chain, or unknown
   */
  record About(long ticket, String request, long chain) {}

  DecisionLog(
      Journal journal, MeterRegistry registry, LongSupplier clock, LongSupplier wallMillis) {
    this.journal = journal;
    this.registry = registry;
    this.clock = clock;
    this.wallMillis = wallMillis;
  }

  /** A policy begins to serve in a slot. */
  void opened(SlotBook book) {
    calls.put(
        book,
        Timer.builder(CALLS)
            .description("Calls of a policy that returned, by slot")
            .tags("slot", book.slot().key())
            .tags("policy", book.policy())
            .tags("variant", book.variant())
            .tags("epoch", Long.toString(book.epoch()))
            .register(registry));
  }

  /** A book is not shown any more. */
  void forget(SlotBook book) {
    Timer timer = calls.remove(book);
    if (timer != null) {
      registry.remove(timer);
    }
  }

  /** A question has its answer. */
  void decided(
      SlotBook book, About about, Decided decided, Reply<?> reply, Supplier<Inputs> inputs) {
    String reason =
        reply.byDefault() ? reply.outcome().name().toLowerCase(Locale.ROOT) : decided.reason();
    book.decided(reply.outcome(), decided.choice(), reason);
    long[] count = counts.computeIfAbsent(book.variant(), _ -> new long[2]);
    count[0]++;
    count[1] += reply.byDefault() ? 1 : 0;
    Timer timer = calls.get(book);
    if (timer != null && reply.nanos() > 0) {
      timer.record(reply.nanos(), TimeUnit.NANOSECONDS);
    }
    journal.add(
        new JournalEntry.Decision(
            wallMillis.getAsLong(),
            clock.getAsLong(),
            book.epoch(),
            book.variant(),
            book.slot(),
            book.policy(),
            about.ticket(),
            about.request(),
            about.chain(),
            decided.choice(),
            reason,
            decided.detail(),
            reply.nanos(),
            reply.byDefault(),
            journal.takesInputs(reply.byDefault()) ? inputs.get() : null));
  }

  /** Questions that have their answer, of a variant. */
  long decisions(String variant) {
    return counts.getOrDefault(variant, NOTHING)[0];
  }

  /** Of them, those that a default answered. */
  long fallbacks(String variant) {
    return counts.getOrDefault(variant, NOTHING)[1];
  }

  /** Who serves changes. */
  void boundary(JournalEntry.Boundary boundary) {
    journal.add(boundary);
  }

  /** Milliseconds since 1970. */
  long wallMillis() {
    return wallMillis.getAsLong();
  }
}
