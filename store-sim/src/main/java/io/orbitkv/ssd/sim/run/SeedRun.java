package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.sim.disk.SimulatedCrash;
import io.orbitkv.ssd.sim.disk.Survival;
import io.orbitkv.ssd.sim.rule.Fault;
import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import io.orbitkv.ssd.sim.rule.Scenario;
import io.orbitkv.ssd.sim.rule.Step;
import io.orbitkv.ssd.store.StoreSettings;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One run: a device that lives through several lives and deaths of a store. */
@SuppressWarnings("EnumOrdinal") // In a digest alone.
final class SeedRun {
  private static final int BLOCK_BYTES = 4096;
  private static final long SEGMENTS_FROM = 256 * 1024;
  private static final long DAY_NANOS = 86_400_000_000_000L;
  private static final int PLACES_OF_A_SWEEP = 256;
  private static final int STRIDE_OF_A_SWEEP = 7;
  private static final int NO_SWEEP = -1;

  /** Where two copies of a page, or a page and its end, are on the device at once. */
  private static final List<Step> DELICATE =
      List.of(Step.EVICTION, Step.EVICTION, Step.KILL_LOG, Step.REINSERTION_PAYLOAD);

  private static final int MOST_ATTEMPTS = 10_000;

  private final long seed;
  private final Chance chance;
  private final Tally tally = new Tally();
  private final Checks checks = new Checks();
  private final World world;
  private final Generator generator;
  private final Openings openings;
  private final int lives;
  private final int acts;
  private final int sweepPlace;
  private final boolean copies;
  private long crashes;

  SeedRun(long seed, Scenario scenario, int acts, Memory memory, Trail trail) {
    this.seed = seed;
    this.acts = acts;
    boolean sweep = scenario.equals(Scenario.SWEEP);
    sweepPlace = sweep ? (int) (seed % PLACES_OF_A_SWEEP) * STRIDE_OF_A_SWEEP : NO_SWEEP;
    chance = new Chance(sweep ? seed / PLACES_OF_A_SWEEP : seed);
    copies = scenario.equals(Scenario.COPIES);
    lives = sweep ? 4 : chance.between(3, 7);
    memory.reset();
    StoreSettings settings = settings();
    ModelDisk disk = new ModelDisk((int) settings.capacityBytes(), BLOCK_BYTES, this::injected);
    FaultPlan faults = faults(scenario);
    world =
        new World(
            disk,
            new DiskMap(SEGMENTS_FROM, settings.segmentBytes()),
            settings,
            faults,
            new Ledger(checks, faults),
            checks,
            memory,
            chance.split(),
            tally,
            trail);
    int frames = (int) settings.segmentBytes() / BLOCK_BYTES;
    generator =
        new Generator(
            world,
            new Shapes(chance, Math.max(1, Math.min(6, frames / 4))),
            chance.split(),
            copies);
    openings = new Openings(world);
  }

  private void injected(Fault fault) {
    tally.faults().merge(fault, 1L, Long::sum);
  }

  private FaultPlan faults(Scenario scenario) {
    int kind = scenario.equals(Scenario.MIXED) ? chance.below(4) : -1;
    if (scenario.equals(Scenario.FAIL) || kind == 0) {
      return FaultPlan.failing(chance, tally.faults());
    }
    if (scenario.equals(Scenario.LIE) || kind == 1) {
      return FaultPlan.lying(chance, tally.faults());
    }
    return FaultPlan.none(tally.faults());
  }

  private StoreSettings settings() {
    long segment = chance.pick(new Integer[] {8, 12, 16, 24}) * (long) BLOCK_BYTES;
    int reserve = chance.between(1, 2);
    int segments = reserve + chance.between(4, 14);
    long capacity = SEGMENTS_FROM + segments * segment;
    return new StoreSettings(
        0,
        1,
        capacity,
        segment,
        reserve,
        chance.pick(new Integer[] {0, 30, 50, 90}),
        chance.oneIn(4) ? capacity * chance.between(1, 6) : 0,
        chance.between(4, 32),
        false);
  }

  SeedResult run() {
    InvariantViolation violation = null;
    try {
      live();
    } catch (InvariantViolation found) {
      violation = found;
    }
    return new SeedResult(
        seed, world.digest(), crashes, tally, checks.checked(), violation, world.trace.lines());
  }

  private void live() {
    Ending ending = Ending.NEW;
    Set<StoredKey> expected = null;
    for (int life = 0; life <= lives; life++) {
      CrashPlan plan = plan(life);
      Ending next = live(plan, ending, expected, life);
      if (next == null) {
        tally.count("refused");
        return;
      }
      world.trace.add(() -> "---- " + next + " " + plan.hit());
      // A crash while the empty file is made leaves nothing that was promised.
      ending = next;
      expected = ending == Ending.CLEAN ? null : tryOut(ending);
    }
  }

  private CrashPlan plan(int life) {
    if (life == lives) {
      return CrashPlan.none();
    }
    if (sweepPlace != NO_SWEEP) {
      return life == 1 ? CrashPlan.at(sweepPlace, tally.crashes()) : CrashPlan.none();
    }
    return switch (copies && chance.oneIn(2) ? 5 : chance.below(6)) {
      case 0, 1 -> CrashPlan.at(chance.pick(Step.values()), chance.below(6L), tally.crashes());
      case 5 -> CrashPlan.at(chance.pick(DELICATE), chance.below(12L), tally.crashes());
      case 2 -> CrashPlan.at(chance.below(60L), tally.crashes());
      case 3 -> CrashPlan.at(chance.below(acts * 10L), tally.crashes());
      default -> CrashPlan.none();
    };
  }

  /** One life; returns how it ended, or null when the store refused its file with good reason. */
  private @Nullable Ending live(
      CrashPlan plan, Ending ending, @Nullable Set<StoredKey> expected, int number) {
    Life life = null;
    try {
      life = openings.open(plan, ending, expected);
      if (life == null) {
        return null;
      }
      work(life, number);
      if (number == lives || chance.oneIn(3)) {
        life.drain();
        life.checkUsage();
        if (!world.faults.lied()) {
          readAll(life);
        }
        return stop(life);
      }
      plan.crashNow(Step.IDLE);
    } catch (SimulatedCrash crash) {
      world.trace.add(() -> "crash at " + crash.getMessage());
    }
    if (life != null) {
      Openings.release(life.store(), world.fileOf());
    } else {
      world.weakened |= world.faults.failed();
    }
    crashes++;
    return crash(plan);
  }

  private void work(Life life, int number) {
    // The first life of many runs goes twice over the whole device.
    int count = number == 0 && seed % 2 == 0 ? 2 * acts : chance.between(acts / 8, acts);
    for (int i = 0; i < count; i++) {
      generator.act(life);
      for (int events = chance.below(7); events > 0; events--) {
        life.step();
      }
      if (chance.oneIn(16)) {
        life.checkUsage();
      }
      damage();
    }
  }

  private void damage() {
    if (world.faults.strikes(Fault.BIT_FLIP, chance)) {
      int from = chance.oneIn(8) ? 0 : (int) SEGMENTS_FROM;
      world.disk.flip(from + chance.below(world.disk.size() - from), chance.below(8));
    }
  }

  /** Proof through the read path. */
  private void readAll(Life life) {
    for (PageLog page : List.copyOf(world.ledger.pages())) {
      for (int attempt = 0; page.found && !life.read(page, false); attempt++) {
        // One that has lost its buffers to unknown outcomes takes nothing any more.
        boolean may = world.faults.failed() && life.ops().isEmpty();
        if (may || attempt == MOST_ATTEMPTS) {
          checks.require(
              Invariant.ENDS_IN_TIME, may, () -> "no read is taken, and nothing is under way");
          break;
        }
        life.step();
      }
    }
    life.drain();
  }

  private Ending stop(Life life) {
    long budget = life.store().usage().budgetBytes();
    boolean healthy = life.store().usage().degraded().isEmpty();
    world.faults.opened();
    world.fileOf().stage(ModelFile.Stage.CLOSING);
    try {
      life.store().close();
    } catch (SimulatedCrash | InvariantViolation intended) {
      throw intended;
    } catch (RuntimeException | AssertionError failure) {
      throw new InvariantViolation(Invariant.STORE_DOES_NOT_FAIL, Openings.describe(failure));
    }
    // What a failing device did not take is left to the recovery.
    Ending how = healthy && !world.faults.failed() ? Ending.CLEAN : Ending.KILL;
    if (how == Ending.CLEAN) {
      world.budgets.clear();
    }
    world.budget(budget);
    ended(how);
    return how;
  }

  private Ending crash(CrashPlan plan) {
    Ending how = chance.oneIn(2) ? Ending.POWER : Ending.KILL;
    Survival survival = chance.pick(Survival.values());
    world.trace.add(() -> how + " " + survival);
    if (how == Ending.POWER) {
      world.disk.losePower(survival, plan.tear(), chance);
      // The clock of another boot.
      world.nowNanos = chance.below(DAY_NANOS);
    } else {
      world.disk.kill(survival, plan.tear(), chance);
    }
    ended(how);
    return how;
  }

  private void ended(Ending how) {
    world.ledger.ended(how);
    world.memory.reset();
    world.note(30, how.ordinal());
  }

  // ---- what would be recovered -----------------------------------------------------------------

  private @Nullable Set<StoredKey> tryOut(Ending ending) {
    if (world.faults.lied() || !chance.oneIn(2)) {
      return null;
    }
    Chance own = chance.split();
    ModelDisk once = world.disk.copy();
    CrashPlan counted = CrashPlan.none();
    Set<StoredKey> first = openings.tryOut(once, counted, own);
    Set<StoredKey> second = openings.tryOut(once, CrashPlan.none(), own);
    world.ledger.published(first);
    world.ledger.published(second);
    checks.require(
        Invariant.RECOVERY_IDEMPOTENT,
        first.equals(second),
        () -> "two recoveries differ in " + Openings.difference(first, second));
    ModelDisk cut = world.disk.copy();
    CrashPlan plan = CrashPlan.at(own.below(Math.max(1, counted.passed())), tally.crashes());
    try {
      openings.tryOut(cut, plan, own);
    } catch (SimulatedCrash crash) {
      crashes++;
      boolean power = own.oneIn(2);
      if (power) {
        cut.losePower(own.pick(Survival.values()), plan.tear(), own);
      } else {
        cut.kill(own.pick(Survival.values()), plan.tear(), own);
      }
      Set<StoredKey> after = openings.tryOut(cut, CrashPlan.none(), own);
      if (power && ending != Ending.POWER) {
        // What the death of the process left unflushed may go with the power.
        if (!world.weakened) {
          world.ledger.afterPowerLoss(after);
        }
      } else {
        checks.require(
            Invariant.RECOVERY_RESTARTABLE,
            after.equals(first),
            () ->
                "a recovery that was cut short at "
                    + crash.getMessage()
                    + " and one that was not differ in "
                    + Openings.difference(after, first));
      }
    }
    return first;
  }
}
