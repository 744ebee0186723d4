package io.orbitkv.manager.policy;

import io.micrometer.core.instrument.MeterRegistry;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.KernelPort;
import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.dispatch.PolicyPort;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Who serves in each policy slot, and what becomes of the kernel's questions. One instance, with a
 * thread of its own, for all slots that name a policy with equal settings. Dispatcher, before its
 * start and after its end the boot thread.
 *
 * <p>A change of who serves is a decision boundary: it happens between two events, the kernel hears
 * of it before the next one, and an epoch begins. What was asked before is answered by whom it was
 * asked of, who ends once that is done. Nothing here waits for a policy.
 */
public final class PolicyHost implements PolicyPort, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(1);
  private static final int MOST_PAST = 32;

  private final Parts parts;
  private final EngineMeter engines;
  private final DecisionLog log;
  private final PolicyQuestions questions;
  private final Map<PolicySlot, Service> services = new EnumMap<>(PolicySlot.class);
  private final Map<PolicySlot, List<PolicyQuestions.Serving>> serving =
      new EnumMap<>(PolicySlot.class);
  // Of slots in which both variants of an experiment serve at once: those of B.
  private final Map<PolicySlot, List<PolicyQuestions.Serving>> servingB =
      new EnumMap<>(PolicySlot.class);
  private final ArmRouting routing = new ArmRouting();
  private final Set<PolicyInstance> live = new LinkedHashSet<>();
  private final Set<PolicyInstance> lost = new LinkedHashSet<>();
  private final List<Past> ending = new ArrayList<>();
  // The newest first; nothing of a plugin's classes.
  private final Deque<PolicyFigures> past = new ArrayDeque<>();
  private final Deque<SlotBook> pastBooks = new ArrayDeque<>();
  private Consumer<Event> reports = event -> {};
  private Runnable wake = () -> {};
  private final int epochStep;
  private ServingListener servingListener = (newEpoch, cause, newServing) -> {};
  private long epoch;
  private boolean follows;

  /** Hears who serves whenever that changes. Dispatcher, or the boot thread; must not block. */
  @FunctionalInterface
  public interface ServingListener {
    /**
     * An epoch begins.
     *
     * @param serving by slot, the first where several do; a slot that is absent runs what is built
     *     in
     */
    void serves(long epoch, String cause, Map<PolicySlot, PolicySpec> serving);
  }

  /** A policy that served in a slot and has not ended yet. */
  private record Past(PolicyInstance instance, SlotBook book) {}

  /**
   * What the host is made of.
   *
   * @param limits of one instance
   * @param clock monotonic nanoseconds
   * @param wallMillis milliseconds since 1970, for the journal
   * @param random seeds the policies' chance
   * @param registry where call times go
   * @param journal written to, not closed
   * @param dram host memory, as it is now; asked on the dispatcher
   * @param ssd the backing tier, as it is known now; asked on the dispatcher
   * @param prefillTokensPerSecond of engines that tell none; 0 for unknown
   */
  public record Parts(
      PolicyLimits limits,
      LongSupplier clock,
      LongSupplier wallMillis,
      RandomGenerator random,
      MeterRegistry registry,
      Journal journal,
      Supplier<TierFacts> dram,
      Supplier<TierFacts> ssd,
      long prefillTokensPerSecond) {}

  /** A host of which every slot runs the kernel's default. */
  public PolicyHost(Parts parts) {
    this(parts, 0, 1);
  }

  /**
   * One of several hosts that share a journal and a registry: their epochs have different numbers.
   *
   * @param number of the host, from 0
   * @param hosts that there are
   */
  public PolicyHost(Parts parts, int number, int hosts) {
    this.parts = parts;
    this.epochStep = hosts;
    this.epoch = number + 1L - hosts;
    this.engines = new EngineMeter(parts.prefillTokensPerSecond());
    this.log =
        new DecisionLog(parts.journal(), parts.registry(), parts.clock(), parts.wallMillis());
    this.questions = new PolicyQuestions(new Around(), log);
    for (PolicySlot slot : PolicySlot.values()) {
      services.put(slot, Service.of(SlotPlan.KERNEL));
      serving.put(slot, List.of());
      servingB.put(slot, List.of());
    }
  }

  @Override
  public void connect(Consumer<Event> newReports, Runnable newWake) {
    reports = newReports;
    wake = newWake;
    questions.connect(newReports);
  }

  /** Boot thread, before {@link #start}. Whom to tell who serves. */
  public void tell(ServingListener listener) {
    servingListener = listener;
  }

  // ---- who serves ----------------------------------------------------------------------------

  /**
   * Boot thread, before clients come. Starts what the configuration names.
   *
   * @param configured slots that it leaves out run the kernel's default
   */
  public void start(Map<PolicySlot, SlotPlan> configured) {
    change(configured, "start").ifPresent(reports);
  }

  /**
   * Dispatcher. Changes who serves in some slots. A slot whose policies are, with their settings,
   * what they were keeps its instances, unless they are lost.
   *
   * @param changes by slot
   * @param cause for the journal
   * @return what the kernel is to hear before anything else; empty when nothing changed
   */
  public Optional<Event> change(Map<PolicySlot, SlotPlan> changes, String cause) {
    Map<PolicySlot, Service> plain = new EnumMap<>(PolicySlot.class);
    changes.forEach((slot, plan) -> plain.put(slot, Service.of(plan)));
    return serve(plain, cause);
  }

  /**
   * Dispatcher. The same for an experiment, whose variants are told apart. Policies that go on
   * under another variant are not new to the kernel.
   */
  public Optional<Event> serve(Map<PolicySlot, Service> changes, String cause) {
    Map<PolicySlot, Service> changed = new EnumMap<>(PolicySlot.class);
    changes.forEach((slot, service) -> {
      if (!same(slot, service)) {
        changed.put(slot, service);
      }
    });
    if (changed.isEmpty()) {
      return Optional.empty();
    }
    epoch += epochStep;
    long seed = parts.random().nextLong();
    SplittableRandom seeds = new SplittableRandom(seed);
    Set<PolicySlot> fresh = EnumSet.noneOf(PolicySlot.class);
    changed.forEach((slot, service) -> {
      List<PolicyQuestions.Serving> before = all(slot);
      services.put(slot, service);
      serving.put(slot, serve(slot, service.plan(), service.variant(), before, seeds));
      SlotPlan ofB = service.ofB();
      servingB.put(
          slot, ofB == null ? List.of() : serve(slot, ofB, SlotBook.VARIANT_B, before, seeds));
      close(before, all(slot));
      if (!instances(before).equals(instances(all(slot)))) {
        fresh.add(slot);
      }
    });
    retireUnused();
    boundary(cause, seed, fresh);
    Set<PolicySlot> asked = asked();
    fresh.retainAll(asked);
    return Optional.of(new Event.Policies(asked, fresh, follows));
  }

  /**
   * Dispatcher. Whom requests belong to, in slots where both variants serve at once.
   *
   * @param router asked for each question
   * @param followChains whether the kernel is to follow chains though no policy needs it, from the
   *     next change on
   */
  public void route(ArmRouter router, boolean followChains) {
    routing.route(router);
    follows = followChains;
  }

  private List<PolicyQuestions.Serving> all(PolicySlot slot) {
    List<PolicyQuestions.Serving> all = new ArrayList<>(in(slot));
    all.addAll(inB(slot));
    return all;
  }

  private static Set<PolicyInstance> instances(List<PolicyQuestions.Serving> serving) {
    Set<PolicyInstance> instances = new LinkedHashSet<>();
    serving.forEach(each -> instances.add(each.instance()));
    return instances;
  }

  private boolean same(PolicySlot slot, Service wanted) {
    Service now = services.getOrDefault(slot, Service.of(SlotPlan.KERNEL));
    return now.variant().equals(wanted.variant())
        && now.plan().builtIn().equals(wanted.plan().builtIn())
        && identities(now.plan()).equals(identities(wanted.plan()))
        && Objects.equals(identitiesOfB(now), identitiesOfB(wanted))
        && all(slot).stream().allMatch(each -> each.instance().alive());
  }

  private static @Nullable List<Object> identitiesOfB(Service service) {
    SlotPlan ofB = service.ofB();
    return ofB == null ? null : identities(ofB);
  }

  private static List<Object> identities(SlotPlan plan) {
    return plan.policies().stream().map(PolicySpec::identity).toList();
  }

  private List<PolicyQuestions.Serving> serve(
      PolicySlot slot,
      SlotPlan plan,
      String variant,
      List<PolicyQuestions.Serving> before,
      SplittableRandom seeds) {
    return plan.policies().stream().map(spec -> serve(slot, spec, variant, before, seeds)).toList();
  }

  private PolicyQuestions.Serving serve(
      PolicySlot slot,
      PolicySpec spec,
      String variant,
      List<PolicyQuestions.Serving> before,
      SplittableRandom seeds) {
    for (PolicyQuestions.Serving each : before) {
      if (each.instance().alive()
          && each.instance().spec().identity().equals(spec.identity())
          && each.book().variant().equals(variant)) {
        return each;
      }
    }
    PolicyInstance instance = instance(spec, seeds);
    SlotBook book = new SlotBook(slot, spec.name(), spec.settings(), variant, epoch);
    log.opened(book);
    return new PolicyQuestions.Serving(instance, book);
  }

  private PolicyInstance instance(PolicySpec spec, SplittableRandom seeds) {
    for (PolicyInstance each : live) {
      if (each.alive() && each.spec().identity().equals(spec.identity())) {
        return each;
      }
    }
    PolicySpec.InstanceMeters meters = spec.meters().apply(epoch);
    RunnerContext context =
        new RunnerContext(
            parts.clock(),
            new SplittableRandom(seeds.nextLong()),
            meters.meters(),
            spec.log(),
            parts.limits().timers());
    PolicyInstance made =
        new PolicyInstance(
            spec,
            new PolicyRunner<>(
                spec.name(),
                spec.create(),
                parts.limits(),
                parts.clock(),
                context,
                wake,
                spec.loader()),
            meters.close());
    made.runner().start();
    live.add(made);
    return made;
  }

  private void close(List<PolicyQuestions.Serving> before, List<PolicyQuestions.Serving> after) {
    for (PolicyQuestions.Serving each : before) {
      if (!after.contains(each)) {
        ending.add(new Past(each.instance(), each.book()));
      }
    }
  }

  private void retireUnused() {
    Set<PolicyInstance> used = new LinkedHashSet<>();
    for (PolicySlot slot : PolicySlot.values()) {
      used.addAll(instances(all(slot)));
    }
    for (Iterator<PolicyInstance> all = live.iterator(); all.hasNext(); ) {
      PolicyInstance each = all.next();
      if (!used.contains(each)) {
        all.remove();
        lost.remove(each);
        each.retire();
      }
    }
  }

  private void boundary(String cause, long seed, Set<PolicySlot> fresh) {
    List<JournalEntry.Served> slots = new ArrayList<>();
    Set<String> variants = new LinkedHashSet<>();
    services.forEach((slot, service) -> {
      slots.add(new JournalEntry.Served(slot.key(), service.toString(), fresh.contains(slot)));
      variants.addAll(service.variants());
    });
    variants.remove(SlotBook.NO_VARIANT);
    servingListener.serves(epoch, cause, serving());
    String variant = variants.isEmpty() ? SlotBook.NO_VARIANT : String.join("+", variants);
    log.boundary(new JournalEntry.Boundary(log.wallMillis(), epoch, variant, cause, seed, slots));
  }

  private Map<PolicySlot, PolicySpec> serving() {
    Map<PolicySlot, PolicySpec> now = new EnumMap<>(PolicySlot.class);
    for (PolicySlot slot : PolicySlot.values()) {
      in(slot).stream()
          .map(PolicyQuestions.Serving::instance)
          .filter(PolicyInstance::alive)
          .findFirst()
          .ifPresent(instance -> now.put(slot, instance.spec()));
    }
    return now;
  }

  private Set<PolicySlot> asked() {
    Set<PolicySlot> asked = EnumSet.noneOf(PolicySlot.class);
    for (PolicySlot slot : PolicySlot.values()) {
      if (all(slot).stream().anyMatch(each -> each.instance().alive())) {
        asked.add(slot);
      }
    }
    return asked;
  }

  /**
   * Dispatcher. Done once every policy that serves in these slots is made, or could not be.
   * Completed on their threads.
   */
  public CompletableFuture<Void> begun(Collection<PolicySlot> slots) {
    return CompletableFuture.allOf(
        slots.stream()
            .flatMap(slot -> all(slot).stream())
            .map(each -> each.instance().runner().begun())
            .toArray(CompletableFuture<?>[]::new));
  }

  // ---- the dispatcher's side -----------------------------------------------------------------

  @Override
  public void ask(Command.ToPolicies question, long nowNanos) {
    switch (question) {
      case Command.AskAdmission ask -> questions.admission(in(ask.slot()), ask, nowNanos);
      case Command.AskReadPlan ask ->
          questions.readPlan(
              of(PolicySlot.CUTOFF, shares(PolicySlot.CUTOFF) && routing.planOfB(ask)),
              ask,
              nowNanos);
      case Command.AskReadOn ask ->
          questions.readOn(
              of(PolicySlot.CUTOFF, shares(PolicySlot.CUTOFF) && routing.stepOfB(ask)),
              ask,
              nowNanos);
      case Command.AskLookahead ask -> lookahead(ask, nowNanos);
      case Command.AskWarming ask -> warming(ask, nowNanos);
      case Command.ObservePages told -> questions.observe(in(told.slot()), told);
      case Command.AskScores ask -> questions.scores(in(ask.slot()), ask, nowNanos);
    }
  }

  private void lookahead(Command.AskLookahead ask, long nowNanos) {
    if (!shares(PolicySlot.LOOKAHEAD)) {
      questions.lookahead(
          in(PolicySlot.LOOKAHEAD),
          ask,
          nowNanos,
          ids -> reports.accept(new Event.Lookahead(ask.instance(), ids)));
      return;
    }
    ArmRouting.Queues queues = routing.split(ask.instance(), ask.queue());
    for (boolean ofB : new boolean[] {false, true}) {
      List<PolicyQuestions.Serving> who = of(PolicySlot.LOOKAHEAD, ofB);
      Consumer<List<String>> advice =
          ids -> reports.accept(new Event.Lookahead(ask.instance(), queues.prepared(ofB, ids)));
      if (who.isEmpty()) {
        advice.accept(List.of());
      } else {
        questions.lookahead(
            who, new Command.AskLookahead(ask.instance(), queues.of(ofB)), nowNanos, advice);
      }
    }
  }

  private void warming(Command.AskWarming ask, long nowNanos) {
    if (!shares(PolicySlot.WARMING)) {
      questions.warming(in(PolicySlot.WARMING), ask, nowNanos);
      return;
    }
    ArmRouting.Queues queues = routing.split(ask.instance(), ask.queue());
    for (boolean ofB : new boolean[] {false, true}) {
      if (!queues.of(ofB).isEmpty()) {
        questions.warming(
            of(PolicySlot.WARMING, ofB),
            new Command.AskWarming(ask.instance(), queues.of(ofB)),
            nowNanos);
      }
    }
  }

  private List<PolicyQuestions.Serving> in(PolicySlot slot) {
    return serving.getOrDefault(slot, List.of());
  }

  private List<PolicyQuestions.Serving> inB(PolicySlot slot) {
    return servingB.getOrDefault(slot, List.of());
  }

  private List<PolicyQuestions.Serving> of(PolicySlot slot, boolean ofB) {
    return ofB ? inB(slot) : in(slot);
  }

  /** Whether both variants of an experiment serve in it at once. */
  private boolean shares(PolicySlot slot) {
    Service service = services.get(slot);
    return service != null && service.ofB() != null;
  }

  @Override
  public void heard(Event event, long nowNanos) {
    if (event instanceof Event.Register register) {
      engines.registering(register);
    } else if (event instanceof Event.EngineStats stats) {
      engines.told(stats, nowNanos);
    } else if (event instanceof Event.SessionClosed closed) {
      engines.ended(closed.session());
    }
  }

  @Override
  public void registered(Command.Registered registered) {
    engines.registered(registered);
  }

  @Override
  public void advance(long nowNanos) {
    List<PolicyInstance> lostNow = new ArrayList<>();
    for (PolicyInstance each : live) {
      each.runner().advance(nowNanos);
      if (!each.alive() && lost.add(each)) {
        lostNow.add(each);
      }
    }
    if (!lostNow.isEmpty()) {
      tellOfLost(lostNow);
    }
    for (Iterator<Past> all = ending.iterator(); all.hasNext(); ) {
      Past each = all.next();
      // One that still serves elsewhere is advanced above.
      if (live.contains(each.instance()) || each.instance().advanceEnd(nowNanos)) {
        if (!live.contains(each.instance()) || each.book().open() == 0) {
          all.remove();
          remember(each);
        }
      }
    }
  }

  // A slot that nobody serves is not asked: its default is the kernel's, without a message.
  private void tellOfLost(List<PolicyInstance> lostNow) {
    epoch += epochStep;
    for (PolicyInstance each : lostNow) {
      each.letGo();
      boundary("policy [" + each.spec().name() + "] is " + each.state(), 0, Set.of());
    }
    reports.accept(new Event.Policies(asked(), Set.of(), follows));
  }

  private void remember(Past ended) {
    // The instance may go on in other slots: here it has ended.
    boolean leaked = ended.instance().leaked();
    past.addFirst(
        ended.book().figures(leaked ? ended.instance().state() : "closed", false, leaked));
    pastBooks.addFirst(ended.book());
    if (past.size() > MOST_PAST) {
      past.removeLast();
      log.forget(pastBooks.removeLast());
    }
  }

  @Override
  public long nextDeadlineNanos() {
    long next = PolicyRunner.NONE_OPEN;
    for (PolicyInstance each : live) {
      next = Math.min(next, each.runner().nextDeadlineNanos());
    }
    for (Past each : ending) {
      next = Math.min(next, each.instance().runner().nextDeadlineNanos());
    }
    // A default is given after the deadline, not at it.
    return next == PolicyRunner.NONE_OPEN ? KernelPort.NO_DEADLINE : next + 1;
  }

  @Override
  public List<String> busy(long nowNanos) {
    List<String> busy = new ArrayList<>();
    for (PolicyInstance each : live) {
      if (!each.runner().idle(nowNanos)) {
        busy.add(each.spec().name());
      }
    }
    for (Past each : ending) {
      if (!each.instance().runner().idle(nowNanos)) {
        busy.add(each.instance().spec().name());
      }
    }
    return busy;
  }

  @Override
  public void patient(boolean patient) {
    questions.patient(patient);
  }

  // ---- pictures ------------------------------------------------------------------------------

  @Override
  public List<PolicyFigures> figures() {
    List<PolicyFigures> all = new ArrayList<>();
    services.forEach((slot, service) -> {
      SlotPlan ofB = service.ofB();
      if (service.plan().policies().isEmpty()) {
        String name = service.plan().builtIn();
        all.add(PolicyFigures.builtIn(slot.key(), name, service.variant(), epoch));
      }
      if (ofB != null && ofB.policies().isEmpty()) {
        all.add(PolicyFigures.builtIn(slot.key(), ofB.builtIn(), SlotBook.VARIANT_B, epoch));
      }
      for (PolicyQuestions.Serving each : all(slot)) {
        PolicyInstance instance = each.instance();
        all.add(each.book().figures(instance.state(), instance.alive(), instance.leaked()));
      }
    });
    for (Past each : ending) {
      String state = live.contains(each.instance()) ? "draining" : each.instance().state();
      all.add(each.book().figures(state, false, each.instance().leaked()));
    }
    all.addAll(past);
    return all;
  }

  /**
   * Dispatcher. Questions that a default had to answer since the start.
   *
   * @param variant of an experiment, or {@link Service#NO_VARIANT} for questions outside of one
   */
  public long fallbacks(String variant) {
    return log.fallbacks(variant);
  }

  /** Dispatcher. Questions that were answered by somebody since the start. */
  public long decisions(String variant) {
    return log.decisions(variant);
  }

  /**
   * Dispatcher. Policies that should serve a variant and do not, each with its state.
   *
   * @param slots looked at
   */
  public List<String> lost(Collection<PolicySlot> slots, String variant) {
    List<String> lostNow = new ArrayList<>();
    for (PolicySlot slot : slots) {
      for (PolicyQuestions.Serving each : all(slot)) {
        if (!each.instance().alive() && each.book().variant().equals(variant)) {
          lostNow.add(
              each.book().policy() + " in " + slot.key() + " is " + each.instance().state());
        }
      }
    }
    return lostNow;
  }

  /** Dispatcher. The name of an instance; empty when it is not known (any more). */
  public String instanceName(int instance) {
    return engines.name(instance);
  }

  /** Dispatcher. The current epoch; 0 or less before anything was named. */
  public long epoch() {
    return epoch;
  }

  /**
   * Any thread. Entries of the journal as JSON, the oldest first.
   *
   * @param last how many at most
   * @param request of decisions about that request alone; empty for any
   * @param pages of decisions about one of these pages alone; empty for any
   * @param mostCharacters of the answer: the oldest entries are left out
   */
  public String explain(int last, String request, List<Long> pages, int mostCharacters) {
    return Explanation.of(parts.journal(), last, request, pages, mostCharacters);
  }

  /** After the dispatcher has ended. Ends every instance; one that is stuck is not waited for. */
  @Override
  public void close() {
    List<PolicyInstance> all = new ArrayList<>(live);
    ending.forEach(each -> all.add(each.instance()));
    all.forEach(each -> each.runner().end());
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    for (PolicyInstance each : all) {
      long left = Math.max(1, deadline - System.nanoTime());
      each.runner().awaitEnd(Duration.ofNanos(left));
      each.letGo();
    }
  }

  private final class Around implements PolicyQuestions.Surroundings {
    @Override
    public TierFacts target(PolicySlot slot) {
      return slot == PolicySlot.ADMISSION_SSD ? parts.ssd().get() : parts.dram().get();
    }

    @Override
    public TierFacts source() {
      return parts.ssd().get();
    }

    @Override
    public EngineFacts engine(String instance, long queuedTokens, long nowNanos) {
      return engines.facts(instance, queuedTokens, nowNanos);
    }
  }
}
