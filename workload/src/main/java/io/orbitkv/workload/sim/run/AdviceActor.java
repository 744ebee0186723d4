package io.orbitkv.workload.sim.run;

import io.orbitkv.api.policy.CutoffPolicy.OnDeadline;
import io.orbitkv.api.policy.CutoffPolicy.ReadLimits;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import io.orbitkv.workload.sim.hardware.Arena;
import io.orbitkv.workload.sim.hardware.Chance;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Invariant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Policies of admission, cutoff, lookahead and warming: with sense, with nonsense, or late. */
final class AdviceActor {
  private static final long MILLI = 1_000_000;

  /** After it the default is the answer to whoever holds up a publish or a read. */
  private static final long SHORT_DEADLINE_NANOS = 20 * MILLI;

  private static final long LONG_DEADLINE_NANOS = 1_000 * MILLI;
  private static final Duration LONG = Duration.ofHours(1);
  private static final Reason REASON = Reason.of("simulated");

  private final World world;
  private final Set<Long> admissions = new HashSet<>();
  private final Set<Long> publishes = new HashSet<>();
  private final Set<Long> reads = new HashSet<>();
  // Requests whose read is planned, by ticket.
  private final Map<Long, Planned> planned = new HashMap<>();

  // The shortest time that a plan gave a request.
  private final Map<Planned, Duration> deadlines = new HashMap<>();

  private record Planned(String instance, String request) {}

  AdviceActor(World world) {
    this.world = world;
  }

  /** Questions about admission without an answer. */
  int admissionQuestions() {
    return admissions.size();
  }

  /** Of them, those for which publishes may wait. */
  int publishQuestions() {
    return publishes.size();
  }

  /** Questions about reads without an answer. */
  int readQuestions() {
    return reads.size();
  }

  /** Whether the read of a query is being planned: it has its bytes. */
  boolean plans(Op op) {
    Event.Submit submit = op.submit;
    return submit != null
        && planned.containsValue(new Planned(op.shape.name(), submit.requestId()));
  }

  /** The time that policies gave a query to be read, or {@link Long#MAX_VALUE} for any. */
  long deadlineNanos(Op op) {
    Event.Submit submit = op.submit;
    Duration deadline =
        submit == null ? null : deadlines.get(new Planned(op.shape.name(), submit.requestId()));
    return deadline == null || deadline.compareTo(LONG) > 0 ? Long.MAX_VALUE : deadline.toNanos();
  }

  // ---- admission -------------------------------------------------------------------------------

  void admission(Command.AskAdmission question, Chance chance) {
    boolean publish = question.slot() == PolicySlot.ADMISSION_DRAM;
    plausible(question);
    ask(admissions, question.ticket());
    if (publish) {
      publishes.add(question.ticket());
    }
    long deadline = publish ? SHORT_DEADLINE_NANOS : LONG_DEADLINE_NANOS;
    AdmissionVerdict verdict = AdmissionVerdict.ADMIT;
    long retryNanos = 0;
    long delay = delay(chance, deadline);
    if (chance.oneIn(10)) {
      world.tally.fault(Fault.POLICY_LATE);
      delay = deadline;
    } else if (chance.oneIn(4)) {
      world.tally.fault(Fault.POLICY_NONSENSE);
      verdict = chance.pick(List.of(AdmissionVerdict.values()));
      retryNanos = nonsense(chance);
    } else if (question.chain().uses() == 0 && question.chain().unitHash() < 0.3) {
      verdict = chance.oneIn(2) ? AdmissionVerdict.DROP : AdmissionVerdict.LATER;
      retryNanos = chance.below(2_000) * MILLI;
    }
    AdmissionVerdict said = verdict;
    long retry = retryNanos;
    world.later(
        delay,
        () -> {
          admissions.remove(question.ticket());
          publishes.remove(question.ticket());
          world.send(new Event.AdmissionAdvice(question.ticket(), said, retry), null);
        });
  }

  private void plausible(Command.AskAdmission question) {
    var chain = question.chain();
    world.require(
        Invariant.REFUSAL_IS_PRECISE,
        chain.pages() > 0
            && chain.bytes() > 0
            && chain.depth() >= 0
            && chain.children() >= 0
            && chain.uses() >= 0
            && chain.unitHash() >= 0
            && chain.unitHash() < 1
            && chain.id() != Facts.UNKNOWN,
        "facts that cannot be",
        question);
  }

  // ---- reads -----------------------------------------------------------------------------------

  void plan(Command.AskReadPlan question, Chance chance) {
    RequestFacts request = question.request();
    world.require(
        Invariant.REFUSAL_IS_PRECISE,
        request.dramPages() >= 0
            && request.ssdPages() >= 0
            && request.dramPages() + request.ssdPages() <= request.pages()
            && request.groups() > 0,
        "facts that cannot be",
        question);
    ask(reads, question.ticket());
    planned.put(question.ticket(), new Planned(request.instance(), request.requestId()));
    long delay = delay(chance, SHORT_DEADLINE_NANOS);
    ReadLimits limits = ReadLimits.none(REASON);
    if (chance.oneIn(10)) {
      world.tally.fault(Fault.POLICY_LATE);
      delay = SHORT_DEADLINE_NANOS;
    } else if (chance.oneIn(6)) {
      world.tally.fault(Fault.POLICY_NONSENSE);
      limits =
          new ReadLimits(
              nonsense(chance),
              (int) nonsense(chance),
              Duration.ofSeconds(nonsense(chance)),
              chance.oneIn(2) ? OnDeadline.MISS : OnDeadline.HAND_OVER,
              (int) nonsense(chance),
              REASON,
              chance.oneIn(2));
    } else if (chance.oneIn(2)) {
      limits =
          new ReadLimits(
              chance.below(5) * Arena.FRAME_BYTES,
              chance.oneIn(3) ? 1 + chance.below(3) : 0,
              chance.oneIn(3) ? Duration.ofMillis(chance.below(2_000)) : Duration.ZERO,
              chance.oneIn(2) ? OnDeadline.MISS : OnDeadline.HAND_OVER,
              chance.oneIn(3) ? request.dramPages() + chance.below(4) : Integer.MAX_VALUE,
              REASON,
              chance.oneIn(2));
    }
    ReadLimits said = limits;
    if (said.deadline().isPositive()) {
      deadlines.merge(
          new Planned(request.instance(), request.requestId()),
          said.deadline(),
          (one, other) -> one.compareTo(other) < 0 ? one : other);
    }
    answerRead(question.ticket(), delay, new Event.ReadPlanAdvice(question.ticket(), said));
  }

  void step(Command.AskReadOn question, Chance chance) {
    ask(reads, question.ticket());
    boolean late = chance.oneIn(10);
    boolean goOn = late || !chance.oneIn(5);
    long delay = late ? SHORT_DEADLINE_NANOS : delay(chance, SHORT_DEADLINE_NANOS);
    answerRead(question.ticket(), delay, new Event.ReadOnAdvice(question.ticket(), goOn));
  }

  private void answerRead(long ticket, long delay, Event answer) {
    world.later(
        delay,
        () -> {
          reads.remove(ticket);
          planned.remove(ticket);
          world.send(answer, null);
        });
  }

  // ---- queues ----------------------------------------------------------------------------------

  void lookahead(Command.AskLookahead question, Chance chance) {
    if (!chance.oneIn(6)) {
      int handle = question.instance();
      List<String> chosen = chosen(question.queue(), chance);
      later(chance, new Event.Lookahead(handle, chosen));
    }
  }

  void warming(Command.AskWarming question, Chance chance) {
    world.require(
        Invariant.SPECULATIVE_QUARTER,
        world.kernel.status().reservedBytes() == world.kernel.status().speculativeBytes(),
        "asked while foreground bytes are owned",
        question.instance());
    if (!chance.oneIn(6)) {
      later(chance, new Event.Warming(question.instance(), chosen(question.queue(), chance)));
    }
  }

  private void later(Chance chance, Event advice) {
    world.later(delay(chance, LONG_DEADLINE_NANOS), () -> world.send(advice, null));
  }

  private static List<String> chosen(List<RequestFacts> queue, Chance chance) {
    List<String> chosen = new ArrayList<>();
    for (RequestFacts request : queue) {
      if (chosen.size() < 4 && request.ssdPages() > 0 && chance.oneIn(2)) {
        chosen.add(request.requestId());
      }
    }
    return chosen;
  }

  // ---- chance ----------------------------------------------------------------------------------

  private void ask(Set<Long> open, long ticket) {
    world.require(Invariant.ENDS_EXACTLY_ONCE, open.add(ticket), "a ticket is used twice", ticket);
  }

  /** When an answer comes: mostly soon. */
  private static long delay(Chance chance, long deadlineNanos) {
    return chance.oneIn(8)
        ? chance.below((int) (deadlineNanos / MILLI)) * MILLI
        : chance.below(2 * MILLI);
  }

  private static long nonsense(Chance chance) {
    return switch (chance.below(5)) {
      case 0 -> Long.MIN_VALUE;
      case 1 -> Long.MAX_VALUE;
      case 2 -> 0;
      case 3 -> -1;
      default -> chance.any();
    };
  }
}
