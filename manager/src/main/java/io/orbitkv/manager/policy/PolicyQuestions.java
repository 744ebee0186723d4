package io.orbitkv.manager.policy;

import io.orbitkv.api.policy.Admission;
import io.orbitkv.api.policy.AdmissionPolicy;
import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.LookaheadPolicy;
import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.RetentionPolicy;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.policy.WarmingPolicy;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.policy.PageColumns;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Makes calls of policies out of the kernel's questions, and events out of their answers.
 * Dispatcher.
 */
final class PolicyQuestions {
  /** For what holds up a publish or a read. */
  static final long SHORT_NANOS = 20_000_000;

  /** For everything else. */
  static final long LONG_NANOS = 1_000_000_000;

  /** For anything, where runs are to be repeatable. */
  static final long PATIENT_NANOS = 30_000_000_000L;

  private final Surroundings around;
  private final DecisionLog log;
  private Consumer<Event> reports = event -> {};
  private boolean patient;

  /** What is told of tiers and engines, composed at each question. Dispatcher. */
  interface Surroundings {
    /** The tier whose border an admission guards. */
    TierFacts target(PolicySlot slot);

    /** Where reads come from. */
    TierFacts source();

    /**
     * An engine instance.
     *
     * @param queuedTokens of its queue
     */
    EngineFacts engine(String instance, long queuedTokens, long nowNanos);
  }

  /** One policy in one slot. */
  record Serving(PolicyInstance instance, SlotBook book) {}

  PolicyQuestions(Surroundings around, DecisionLog log) {
    this.around = around;
    this.log = log;
  }

  void connect(Consumer<Event> newReports) {
    reports = newReports;
  }

  /** Whether questions have {@link #PATIENT_NANOS} from now on. */
  void patient(boolean now) {
    patient = now;
  }

  private long deadline(long nowNanos, long usualNanos) {
    return nowNanos + (patient ? PATIENT_NANOS : usualNanos);
  }

  // ---- admission -----------------------------------------------------------------------------

  void admission(List<Serving> serving, Command.AskAdmission ask, long nowNanos) {
    if (serving.isEmpty()) {
      admit(ask, Decided.ADMIT);
      return;
    }
    ChainFacts chain = ask.chain();
    TierFacts target = around.target(ask.slot());
    long deadline =
        deadline(nowNanos, ask.slot() == PolicySlot.ADMISSION_DRAM ? SHORT_NANOS : LONG_NANOS);
    new Asking<Admission>(
            serving.getFirst(),
            policy -> ((AdmissionPolicy) policy).admit(chain, target),
            Decided::sensible,
            Decided.ADMIT,
            Decided::of,
            new DecisionLog.About(ask.ticket(), "", chain.id()),
            () -> new Inputs.Chain(chain, target))
        .ask(deadline, reply -> admit(ask, reply.value()));
  }

  private void admit(Command.AskAdmission ask, Admission admission) {
    reports.accept(
        new Event.AdmissionAdvice(
            ask.ticket(),
            Decided.verdict(admission),
            admission instanceof Admission.Later later ? later.delay().toNanos() : 0));
  }

  // ---- reads ---------------------------------------------------------------------------------

  void readPlan(List<Serving> serving, Command.AskReadPlan ask, long nowNanos) {
    RequestFacts request = ask.request();
    TierFacts source = around.source();
    EngineFacts engine = around.engine(request.instance(), ask.queuedTokens(), nowNanos);
    List<CutoffPolicy.ReadLimits> all = new ArrayList<>(serving.size());
    if (serving.isEmpty()) {
      reports.accept(new Event.ReadPlanAdvice(ask.ticket(), Decided.NO_LIMITS));
    }
    for (Serving each : serving) {
      new Asking<CutoffPolicy.ReadLimits>(
              each,
              policy -> ((CutoffPolicy) policy).plan(request, source, engine),
              Decided::sensible,
              Decided.NO_LIMITS,
              Decided::of,
              new DecisionLog.About(ask.ticket(), request.requestId(), request.chain().id()),
              () -> new Inputs.Read(request, source, engine))
          .ask(
              deadline(nowNanos, SHORT_NANOS),
              reply -> {
                all.add(reply.value());
                if (all.size() == serving.size()) {
                  reports.accept(new Event.ReadPlanAdvice(ask.ticket(), Decided.strictest(all)));
                }
              });
    }
  }

  void readOn(List<Serving> serving, Command.AskReadOn ask, long nowNanos) {
    if (serving.isEmpty()) {
      reports.accept(new Event.ReadOnAdvice(ask.ticket(), true));
    }
    List<Boolean> all = new ArrayList<>(serving.size());
    for (Serving each : serving) {
      new Asking<Boolean>(
              each,
              policy -> ((CutoffPolicy) policy).proceed(ask.progress()),
              _ -> true,
              true,
              Decided::ofGoingOn,
              new DecisionLog.About(ask.ticket(), "", Facts.UNKNOWN),
              () -> new Inputs.Progress(ask.progress()))
          .ask(
              deadline(nowNanos, SHORT_NANOS),
              reply -> {
                all.add(reply.value());
                if (all.size() == serving.size()) {
                  reports.accept(new Event.ReadOnAdvice(ask.ticket(), !all.contains(false)));
                }
              });
    }
  }

  // ---- queues --------------------------------------------------------------------------------

  void lookahead(
      List<Serving> serving,
      Command.AskLookahead ask,
      long nowNanos,
      Consumer<List<String>> advice) {
    List<RequestFacts> queue = ask.queue();
    queue(
        serving,
        queue,
        policy -> ((LookaheadPolicy) policy).prepare(queue),
        "prepare",
        nowNanos,
        advice);
  }

  void warming(List<Serving> serving, Command.AskWarming ask, long nowNanos) {
    List<RequestFacts> queue = ask.queue();
    queue(
        serving,
        queue,
        policy -> ((WarmingPolicy) policy).warm(queue),
        "warm",
        nowNanos,
        ids -> reports.accept(new Event.Warming(ask.instance(), ids)));
  }

  private void queue(
      List<Serving> serving,
      List<RequestFacts> queue,
      Function<Policy, List<Integer>> call,
      String choice,
      long nowNanos,
      Consumer<List<String>> advice) {
    if (serving.isEmpty()) {
      return;
    }
    RequestFacts first = queue.isEmpty() ? null : queue.getFirst();
    new Asking<List<Integer>>(
            serving.getFirst(),
            policy -> List.copyOf(call.apply(policy)),
            chosen -> Decided.indices(chosen, queue.size()),
            List.of(),
            chosen -> Decided.ofQueue(choice, chosen, queue),
            new DecisionLog.About(
                0,
                first == null ? "" : first.requestId(),
                first == null ? Facts.UNKNOWN : first.chain().id()),
            () -> new Inputs.Queue(queue))
        .ask(
            deadline(nowNanos, LONG_NANOS),
            reply -> {
              // Without the policy's own word nothing changes: preparations stay what they are.
              if (!reply.byDefault()) {
                advice.accept(Decided.requestIds(reply.value(), queue));
              }
            });
  }

  // ---- retention -----------------------------------------------------------------------------

  void observe(List<Serving> serving, Command.ObservePages told) {
    PageColumns events = told.events();
    if (serving.isEmpty()) {
      events.recycle();
      return;
    }
    Serving one = serving.getFirst();
    one.book()
        .told(
            one.instance()
                .runner()
                .tell(policy -> ((RetentionPolicy) policy).observe(events), events::recycle));
  }

  void scores(List<Serving> serving, Command.AskScores ask, long nowNanos) {
    PageColumns columns = ask.candidates();
    if (serving.isEmpty()) {
      reports.accept(new Event.ScoresAdvice(ask.ticket(), columns, true));
      return;
    }
    // Two sides let go of the columns: the policy when its call is over, the owner when it answers
    // the kernel. Whoever is the second knows that nobody else uses them.
    AtomicBoolean letGoOnce = new AtomicBoolean();
    new Asking<PageColumns>(
            serving.getFirst(),
            policy -> scored((RetentionPolicy) policy, columns, ask.adopt()),
            _ -> true,
            columns,
            _ -> Decided.ofScores(ask.adopt(), columns.size()),
            new DecisionLog.About(ask.ticket(), "", Facts.UNKNOWN),
            () -> letGoOnce.get() ? Inputs.Pages.of(columns, columns.scores()) : NO_PAGES,
            () -> {
              if (!letGoOnce.compareAndSet(false, true)) {
                columns.recycle();
              }
            })
        .ask(
            deadline(nowNanos, LONG_NANOS),
            reply -> {
              boolean policyIsDone = !letGoOnce.compareAndSet(false, true);
              reports.accept(
                  new Event.ScoresAdvice(
                      ask.ticket(),
                      policyIsDone ? columns : new PageColumns(0, _ -> {}),
                      reply.byDefault()));
            });
  }

  private static final Inputs NO_PAGES = new Inputs.Pages(0, List.of());

  private static PageColumns scored(RetentionPolicy policy, PageColumns columns, boolean adopt) {
    if (adopt) {
      policy.adopt(columns);
    } else {
      policy.score(columns, columns.scores());
    }
    return columns;
  }

  // ---- inside --------------------------------------------------------------------------------

  /** One question to one policy, counted and written down. */
  private final class Asking<A> {
    private final Serving serving;
    private final Question<Policy, A> question;
    private final Function<A, Decided> words;
    private final DecisionLog.About about;
    private final Supplier<Inputs> inputs;

    Asking(
        Serving serving,
        Function<Policy, A> call,
        Predicate<A> sensible,
        A byDefault,
        Function<A, Decided> words,
        DecisionLog.About about,
        Supplier<Inputs> inputs) {
      this(serving, call, sensible, byDefault, words, about, inputs, () -> {});
    }

    Asking(
        Serving serving,
        Function<Policy, A> call,
        Predicate<A> sensible,
        A byDefault,
        Function<A, Decided> words,
        DecisionLog.About about,
        Supplier<Inputs> inputs,
        Runnable done) {
      this.serving = serving;
      this.question = new Question<>(call, sensible, byDefault, done);
      this.words = words;
      this.about = about;
      this.inputs = inputs;
    }

    void ask(long deadlineNanos, Consumer<Reply<? extends A>> answer) {
      serving.book().asked();
      serving
          .instance()
          .runner()
          .ask(
              question,
              deadlineNanos,
              reply -> {
                log.decided(serving.book(), about, words.apply(reply.value()), reply, inputs);
                answer.accept(reply);
              });
    }
  }
}
