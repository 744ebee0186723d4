package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.ssd.sim.disk.Chance;
import io.orbitkv.ssd.sim.disk.ModelDisk;
import io.orbitkv.ssd.sim.disk.SimulatedCrash;
import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import io.orbitkv.ssd.store.Store;
import io.orbitkv.ssd.store.StoreUsage;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** Opens stores, judges what they recover, and tries out what they would recover. */
final class Openings {
  private static final int ATTEMPTS = 40;
  private static final long SLACK_BLOCKS = 16;

  private final World world;

  Openings(World world) {
    this.world = world;
  }

  /** What went wrong, and where in the store. */
  static String describe(Throwable failure) {
    for (StackTraceElement frame : failure.getStackTrace()) {
      if (frame.getClassName().startsWith("io.orbitkv.ssd.")) {
        return failure + " at " + frame;
      }
    }
    return failure.toString();
  }

  /**
   * Opens the store of the world and demands what must have survived; begins a life.
   *
   * @return null when the store refuses its file and may do so, since its device has lied
   */
  @Nullable Life open(CrashPlan plan, Ending ending, @Nullable Set<StoredKey> expected) {
    Chance chance = world.chance.split();
    WriteOrder order =
        new WriteOrder(
            world.disk, world.map, world.magic, world.faults, world.checks, ending == Ending.CLEAN);
    ModelFile.Stage stage =
        ending == Ending.NEW ? ModelFile.Stage.FORMATTING : ModelFile.Stage.OPENING;
    world.file = new ModelFile(world.disk, world.faults, order, world.map, chance, plan, stage);
    Relay relay = new Relay();
    Store store = null;
    world.faults.opened();
    for (int attempt = 0; store == null && attempt < ATTEMPTS; attempt++) {
      relay = new Relay();
      try {
        store =
            Store.open(
                world.file,
                world.settings,
                new SplittableRandom(chance.any()),
                world.nowNanos,
                relay);
      } catch (IOException failure) {
        world.tally.count("open-failed");
        world.checks.require(
            Invariant.OPENS_AGAIN,
            world.faults.failed() || world.faults.lied(),
            () -> "opening fails although the device does not: " + failure);
      } catch (IllegalStateException refusal) {
        world.checks.require(
            Invariant.OPENS_AGAIN,
            world.faults.lied(),
            () -> "the store refuses its own file: " + describe(refusal));
        return null;
      } catch (SimulatedCrash | InvariantViolation intended) {
        throw intended;
      } catch (RuntimeException | AssertionError failure) {
        throw new InvariantViolation(Invariant.STORE_DOES_NOT_FAIL, describe(failure));
      }
    }
    if (store == null) {
      throw new InvariantViolation(
          Invariant.OPENS_AGAIN, "the store did not open in [" + ATTEMPTS + "] attempts");
    }
    StoreUsage.Start found = store.usage().start();
    world.trace.add(() -> "opened: " + found);
    judge(relay.recovered(), expected);
    budget(store, ending);
    world.budget(store.usage().budgetBytes());
    if (found.formatted() && found.damagedSegments() == 0) {
      order.formatted();
    }
    world.note(20, relay.recovered().size());
    world.tally.count("openings");
    world.tally.count("recovered-pages", relay.recovered().size());
    Life life = new Life(world, store, plan, order, chance);
    relay.to(life);
    return life;
  }

  private void judge(Map<StoredKey, Long> recovered, @Nullable Set<StoredKey> expected) {
    Ledger ledger = world.ledger;
    boolean weak = world.faults.failed() || world.weakened;
    world.weakened = false;
    ledger.recovered(recovered.keySet(), weak);
    if (!world.faults.lied()) {
      for (RecordTrail.Entry entry : world.trail.behindMismatch(world.disk)) {
        PageLog page = entry.page();
        Version version = entry.version();
        if (page != null && version != null) {
          world.checks.require(
              Invariant.WALK_STOPS_AT_MISMATCH,
              version.reported
                  || version.number < page.goneBelow
                  || page.versions.size() - page.goneBelow != 1
                  || !recovered.containsKey(page.key),
              () -> "page " + page + " is recovered from behind a damaged record");
        }
      }
    }
    if (expected != null && !weak && !world.faults.lied()) {
      world.checks.require(
          Invariant.RECOVERY_IDEMPOTENT,
          recovered.keySet().equals(expected),
          () ->
              "this recovery and one before differ in " + difference(recovered.keySet(), expected));
    }
    world.trail.clear();
    ledger.begins(recovered);
  }

  private void budget(Store store, Ending ending) {
    if (world.settings.writesPerDayBytes() == 0 || ending == Ending.NEW || world.faults.lied()) {
      return;
    }
    // A superblock says what was left before it was written itself, perhaps several times.
    long before =
        Math.min(Long.MAX_VALUE / 2, world.mostBudget()) + SLACK_BLOCKS * world.disk.blockBytes();
    long now = store.usage().budgetBytes();
    world.checks.require(
        Invariant.BUDGET_SURVIVES_RESTART,
        now <= before,
        () -> "[" + now + "] bytes of budget after the restart, at most [" + before + "] before");
  }

  static String difference(Set<StoredKey> left, Set<StoredKey> right) {
    Set<StoredKey> all = new HashSet<>(left);
    all.addAll(right);
    all.removeIf(key -> left.contains(key) && right.contains(key));
    return "["
        + all.size()
        + "] pages"
        + (all.isEmpty() ? "" : ", among them [" + all.iterator().next().key().low() + "]");
  }

  // ---- trying out ------------------------------------------------------------------------------

  /**
   * What the store would recover from a copy of the device; the copy is left as that leaves it.
   *
   * @throws SimulatedCrash when the plan says so
   */
  Set<StoredKey> tryOut(ModelDisk copy, CrashPlan plan, Chance chance) {
    FaultPlan noFaults = FaultPlan.none(new Tally().faults());
    if (world.faults.lied()) {
      noFaults.inherit(world.faults);
    }
    WriteOrder order = new WriteOrder(copy, world.map, world.magic, noFaults, new Checks(), false);
    ModelFile file =
        new ModelFile(copy, noFaults, order, world.map, chance, plan, ModelFile.Stage.OPENING);
    Relay relay = new Relay();
    try {
      Store store =
          Store.open(
              file, world.settings, new SplittableRandom(chance.any()), world.nowNanos, relay);
      release(store, file);
    } catch (IOException failure) {
      throw new InvariantViolation(
          Invariant.OPENS_AGAIN, "opening fails although the device does not: " + failure);
    } catch (IllegalStateException refusal) {
      if (!world.faults.lied()) {
        throw new InvariantViolation(
            Invariant.OPENS_AGAIN, "the store refuses its own file: " + describe(refusal));
      }
    }
    return relay.recovered().keySet();
  }

  /** Frees the memory of a store whose process has died. */
  static void release(Store store, ModelFile file) {
    file.stage(ModelFile.Stage.DEAD);
    try {
      store.close();
    } catch (RuntimeException busy) {
      // Its memory is freed or it is not: nothing of it is looked at again.
      return;
    }
  }
}
