package io.orbitkv.manager.live;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.manager.dispatch.KernelPort;
import io.orbitkv.manager.experiment.Schedule;
import io.orbitkv.manager.policy.PolicyHost;
import io.orbitkv.manager.policy.Service;
import io.orbitkv.manager.policy.SlotPlan;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An experiment at work: lets the variants serve, block after block, and measures. Dispatcher. */
final class RunningExperiment {
  private static final List<String> LABELS =
      List.of(Arm.A.name(), Arm.B.name(), Service.NO_VARIANT);

  private final Plans plans;
  private final PolicyHost host;
  private final KernelPort kernel;
  private final int cell;
  private final QueryFigures queries = new QueryFigures(this::arm);
  private ExperimentRecord record;
  private final boolean resumed;
  private final int firstBlock;
  private int block;
  private long startedNanos;
  private KernelStatus before;
  private final Map<String, long[]> decisionsBefore = new java.util.HashMap<>();

  /**
   * What serves, by slot that differs.
   *
   * @param a of variant A
   * @param b of variant B
   * @param configured without an experiment
   */
  record Plans(
      Map<PolicySlot, SlotPlan> a,
      Map<PolicySlot, SlotPlan> b,
      Map<PolicySlot, SlotPlan> configured) {
    Plans {
      a = Map.copyOf(a);
      b = Map.copyOf(b);
      configured = Map.copyOf(configured);
    }
  }

  /**
   * @param cell that it runs in, from 0; there are two with {@link Isolation#PARTITION}
   */
  RunningExperiment(
      ExperimentRecord record,
      Plans plans,
      PolicyHost host,
      KernelPort kernel,
      int cell,
      boolean resumed) {
    this.cell = cell;
    this.record = record;
    this.plans = plans;
    this.host = host;
    this.kernel = kernel;
    this.resumed = resumed;
    this.firstBlock = record.blocks().size();
    this.block = firstBlock;
    this.before = kernel.status();
  }

  QueryFigures queries() {
    return queries;
  }

  ExperimentRecord record() {
    return record;
  }

  int block() {
    return block;
  }

  long startedNanos() {
    return startedNanos;
  }

  long nextNanos() {
    return startedNanos + schedule().blockNanos();
  }

  private Schedule schedule() {
    return record.terms().schedule();
  }

  /** Who has this kernel to itself in the present block; null while both share it. */
  @Nullable Arm alone() {
    return switch (record.terms().isolation()) {
      case TIME -> Arm.of(schedule().turnOfB(block));
      case PARTITION -> Arm.of((cell == 1) != schedule().swapped(block));
      case SHARED -> null;
    };
  }

  private Arm arm(Event.Submit submit) {
    Arm alone = alone();
    if (alone != null) {
      return alone;
    }
    double unitHash =
        switch (record.terms().split().by()) {
          case INSTANCE -> 0;
          case CHAIN -> kernel.unitHash(submit.keys(), prefix(submit));
        };
    return Arm.of(ofB(host.instanceName(submit.instance()), unitHash));
  }

  private static int prefix(Event.Submit submit) {
    int[] pages = submit.pagesOfGroup();
    return pages.length > 0 && pages[0] > 0 ? pages[0] : submit.keys().length / 2;
  }

  private boolean ofB(String instance, double unitHash) {
    return record.terms().split().second(instance, unitHash) != schedule().swapped(block);
  }

  /** Begins the first block, or the one that a restart cut off. */
  Optional<Event> begin(long nowNanos) {
    if (alone() == null) {
      // Once: what was advised of a queue is known over the ends of blocks.
      host.route(this::ofB, true);
    }
    return serve(resumed ? "experiment goes on" : "experiment starts", nowNanos);
  }

  private Optional<Event> serve(String cause, long nowNanos) {
    boolean same = schedule().same(block);
    Map<PolicySlot, Service> services = new EnumMap<>(PolicySlot.class);
    Arm arm = alone();
    if (arm != null) {
      Map<PolicySlot, SlotPlan> turn = arm == Arm.B && !same ? plans.b() : plans.a();
      turn.forEach((slot, plan) -> services.put(slot, Service.as(arm.name(), plan)));
    } else {
      Map<PolicySlot, SlotPlan> other = same ? plans.a() : plans.b();
      plans
          .a()
          .forEach((slot, plan) ->
              services.put(slot, Service.both(plan, other.getOrDefault(slot, SlotPlan.KERNEL))));
    }
    startedNanos = nowNanos;
    before = kernel.status();
    for (String label : LABELS) {
      decisionsBefore.put(label, new long[] {host.decisions(label), host.fallbacks(label)});
    }
    return host.serve(services, cause + ": " + record.terms().name());
  }

  /** Whether the block is over. */
  boolean due(long nowNanos) {
    return nowNanos - nextNanos() >= 0;
  }

  /**
   * Ends the block and begins the next one, or ends the experiment.
   *
   * @return what the kernel is to hear
   */
  Optional<Event> turn(long nowNanos) {
    List<Block> blocks = new ArrayList<>(record.blocks());
    blocks.add(measured(nowNanos));
    record = record.with(blocks);
    block++;
    List<String> voids = record.voids();
    if (voids.size() >= ExperimentRecord.MOST_VOIDS) {
      return end(
          ExperimentRecord.State.VOIDED, "[" + voids.size() + "] blocks were void: see which");
    }
    if (block >= schedule().total()) {
      return end(ExperimentRecord.State.DONE, "the horizon is reached");
    }
    return serve(schedule().turns() ? "turn" : "block", nowNanos);
  }

  /** Ends it: every slot runs what the configuration names. */
  Optional<Event> end(ExperimentRecord.State how, String why) {
    record = record.ended(how, why);
    Map<PolicySlot, Service> services = new EnumMap<>(PolicySlot.class);
    plans.configured().forEach((slot, plan) -> services.put(slot, Service.of(plan)));
    host.route((_, _) -> false, false);
    return host.serve(services, "experiment ends: " + record.terms().name());
  }

  // ---- measuring -----------------------------------------------------------------------------

  private Block measured(long nowNanos) {
    KernelStatus after = kernel.status();
    Map<Arm, ArmFigures> counted = queries.next();
    List<String> voids = new ArrayList<>();
    Map<Arm, Block.Figures> arms = new EnumMap<>(Arm.class);
    Arm alone = alone();
    for (Arm arm : Arm.values()) {
      if (alone != null && arm != alone) {
        continue;
      }
      ArmFigures figures = counted.getOrDefault(arm, new ArmFigures());
      figures.set(Column.NANOS, nowNanos - startedNanos);
      for (Column column : Column.values()) {
        if (column.ofKernel()) {
          figures.set(column, column.sum(after.counters()) - column.sum(before.counters()));
        }
      }
      // What the variant before was asked before the boundary belongs to no block.
      addDecisions(figures, arm.name());
      addDecisions(figures, Service.NO_VARIANT);
      examine(arm, figures, after, voids);
      arms.put(arm, new Block.Figures(figures.sums(alone != null), figures.waits()));
    }
    return new Block(
        block,
        schedule().same(block),
        schedule().swapped(block),
        resumed && block == firstBlock,
        schedule().settling(block),
        voids,
        arms);
  }

  private void addDecisions(ArmFigures figures, String label) {
    long[] start = decisionsBefore.getOrDefault(label, new long[2]);
    figures.add(Column.DECISIONS, host.decisions(label) - start[0]);
    figures.add(Column.FALLBACKS, host.fallbacks(label) - start[1]);
  }

  private void examine(Arm arm, ArmFigures figures, KernelStatus after, List<String> voids) {
    long fallbacks = figures.get(Column.FALLBACKS);
    long decisions = figures.get(Column.DECISIONS);
    if (fallbacks > decisions * record.terms().fallbackShare()) {
      voids.add(
          String.format(
              Locale.ROOT,
              "%s: policy fallback (a default answered %d of %d questions)",
              arm,
              fallbacks,
              decisions));
    }
    List<String> lost = host.lost(plans.a().keySet(), arm.name());
    if (!lost.isEmpty()) {
      voids.add(arm + ": policy fallback (" + String.join(", ", lost) + ")");
    }
    if (after.reservedPeakBytes() > after.budgetBytes()
        && after.reservedPeakBytes() > before.reservedPeakBytes()) {
      voids.add(
          arm
              + ": budget breach ("
              + after.reservedPeakBytes()
              + " B reserved of "
              + after.budgetBytes()
              + " B)");
    }
  }
}
