package io.orbitkv.ssd.store;

import static io.orbitkv.ssd.store.StoreDriver.NAMESPACE;
import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.ssd.device.StoreDevice;
import io.orbitkv.ssd.device.Transfer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

/**
 * Random operations, completions in random order, failures, kills and restarts, against a map. A
 * kill here loses nothing that was written; torn and reordered writes have a model of their own.
 */
class StorePropertyTest {
  private static final int CAPACITY = 1 << 20;
  private static final int KEYS = 60;
  private static final int STEPS = 600;
  private static final Namespace OTHER = new Namespace("b7".repeat(32));
  private static final int EIO = 5;

  @Property(tries = 60)
  void operations_inAnyOrder_keepTheirPromises(@ForAll long seed) {
    Run run = new Run(seed, 0);
    run.run();
    covers("pages moved", run.moved > 0);
    covers("pages lost", run.lost > 0);
    covers("evicted copies recovered", run.killed > 0);
    covers("segments walked", run.walked > 0);
  }

  @Property(tries = 60)
  void operations_onADeviceThatFails_keepTheirPromises(@ForAll long seed) {
    Run run = new Run(seed, 4);
    run.run();
    covers("writes failed", run.failed > 0);
    covers("degraded", run.refused > 0);
  }

  @Property(tries = 60)
  void operations_onADeviceThatLosesTrack_areAllReported(@ForAll long seed) {
    Run run = new Run(seed, 1);
    run.losesTrack = true;
    run.run();
    covers("degraded", run.refused > 0);
  }

  private static void covers(String what, boolean happened) {
    Statistics.label(what)
        .collect(happened)
        .coverage(coverage -> coverage.check(true).percentage(share -> share > 5));
  }

  private static final class Run {
    long moved;
    long lost;
    long killed;
    long walked;
    long failed;
    long refused;
    boolean losesTrack;
    final Random random;
    final int failuresPerHundred;
    StoreDriver driver;
    long now;

    /** The device fails almost everything for a while. */
    boolean isBroken;

    /** Keys whose eviction was acknowledged and that nobody offered since. */
    final Set<StoredKey> gone = new HashSet<>();

    /** Keys whose eviction was asked for: they may be recovered or not. */
    final Map<Long, Set<StoredKey>> leaving = new HashMap<>();

    final Set<StoredKey> offeredSince = new HashSet<>();

    Run(long seed, int failuresPerHundred) {
      this.random = new Random(seed);
      this.failuresPerHundred = failuresPerHundred;
      this.driver = open(new MemoryFile(CAPACITY));
    }

    StoreDriver open(MemoryFile file) {
      return StoreDriver.open(
          file, new StoreSettings(0, 1, CAPACITY, 32 << 10, 2, 50, 0, 16, false));
    }

    void run() {
      for (int i = 0; i < STEPS; i++) {
        step();
        noteEvictions();
        check();
      }
      settle();
      noteEvictions();
      check();
      count();
      assertThat(driver.writes.keySet()).as("reported writes").containsAll(writeTickets);
      assertThat(driver.reads.keySet()).as("reported reads").containsAll(readTickets);
      assertThat(leaving).as("evictions without a report").isEmpty();
    }

    final Set<Long> writeTickets = new HashSet<>();
    final Set<Long> readTickets = new HashSet<>();

    void step() {
      int choice = random.nextInt(100);
      if (choice < 25) {
        write(randomKey());
      } else if (choice < 45) {
        read(randomKey());
      } else if (choice < 52) {
        evict(Set.of(randomKey()), false);
      } else if (choice < 53 && random.nextInt(4) == 0) {
        Set<StoredKey> all = new LinkedHashSet<>();
        for (int i = 1; i < KEYS; i += 2) {
          all.add(key(i));
        }
        evict(all, true);
      } else if (choice < 54) {
        driver.store.flush(++driver.lastTicket);
      } else if (choice < 55 && failuresPerHundred > 0 && random.nextInt(4) == 0) {
        isBroken = !isBroken;
      } else if (choice < 55) {
        driver.store.score(randomKey(), random.nextInt(1000));
      } else if (choice < 56) {
        driver.store.tick(now += random.nextLong(40_000_000_000L));
      } else if (choice < 58 && random.nextInt(4) == 0) {
        restart(random.nextBoolean());
      } else {
        complete();
      }
    }

    void write(StoredKey key) {
      if (driver.store.usage().writes() == 16) {
        return;
      }
      gone.remove(key);
      offeredSince.add(key);
      leaving.values().forEach(keys -> keys.remove(key));
      writeTickets.add(driver.submitWrite(driver.filled(key, payloads(key))));
    }

    void read(StoredKey key) {
      if (driver.store.usage().reads() == 16) {
        return;
      }
      boolean isGone = gone.contains(key);
      long ticket = driver.submitRead(driver.blank(key, payloads(key)), random.nextBoolean());
      readTickets.add(ticket);
      if (isGone) {
        assertThat(driver.reads).containsEntry(ticket, BackingStatus.ABSENT);
      }
      if (random.nextInt(4) == 0) {
        driver.store.raise(ticket);
      }
    }

    void evict(Set<StoredKey> keys, boolean namespace) {
      long ticket = ++driver.lastTicket;
      leaving.put(ticket, new HashSet<>(keys));
      keys.forEach(driver.findable::remove);
      if (namespace) {
        driver.store.keep(ticket, OTHER, List.of());
      } else {
        driver.store.evict(ticket, keys.iterator().next());
      }
    }

    void noteEvictions() {
      for (long ticket : driver.evictions) {
        Set<StoredKey> keys = leaving.remove(ticket);
        if (keys != null) {
          gone.addAll(keys);
        }
      }
    }

    void complete() {
      for (int i = random.nextInt(6); i > 0; i--) {
        if (!driver.checks.isEmpty() && random.nextBoolean()) {
          driver.check(random.nextInt(driver.checks.size()));
        } else if (!driver.queue.isEmpty()) {
          Transfer transfer = driver.queue.get(random.nextInt(driver.queue.size()));
          if (random.nextInt(100) < (isBroken ? 95 : failuresPerHundred)) {
            if (transfer.kind() == Transfer.Kind.WRITE && random.nextBoolean()) {
              carryOutPart(transfer);
            }
            driver.end(transfer, error(transfer));
          } else {
            driver.carryOut(transfer);
          }
        }
      }
    }

    int error(Transfer transfer) {
      boolean reads =
          transfer.kind() == Transfer.Kind.READ
              || transfer.kind() == Transfer.Kind.SPECULATIVE_READ;
      if (!losesTrack || random.nextInt(4) != 0) {
        return EIO;
      }
      return reads && random.nextBoolean() ? StoreDevice.SHORT : StoreDevice.UNKNOWN;
    }

    void carryOutPart(Transfer transfer) {
      var first = transfer.spans().getFirst();
      try {
        driver.file.write(transfer.offset(), first.address(), first.bytes());
      } catch (java.io.IOException failed) {
        throw new AssertionError(failed);
      }
    }

    /** Ends everything; the tier is given the time that it needs. */
    void settle() {
      isBroken = false;
      driver.settle();
      for (int i = 0; i < 10 && !driver.store.idle(); i++) {
        driver.store.tick(now += Health.PROBE_NANOS + 1);
        driver.settle();
      }
      assertThat(driver.store.idle()).as("idle").isTrue();
    }

    void restart(boolean cleanly) {
      StoreDriver former = driver;
      count();
      if (cleanly) {
        settle();
        noteEvictions();
        former.store.close();
      } else {
        // Evictions under way may have become durable or not.
        noteEvictions();
      }
      Set<StoredKey> unsure = new HashSet<>();
      leaving.values().forEach(unsure::addAll);
      leaving.clear();
      if (former.store.usage().uncertainEvictions() > 0) {
        // The device refused for too long to make them durable, and the store said so.
        unsure.addAll(gone);
        gone.clear();
      }
      driver = open(former.file.copy());
      Set<StoredKey> recovered = driver.findable.keySet();
      Set<StoredKey> promised = new HashSet<>(former.findable.keySet());
      promised.removeAll(unsure);
      assertThat(recovered).containsAll(promised);
      assertNoneGone(recovered);
      assertThat(open(driver.file.copy()).findable).isEqualTo(driver.findable);
      for (StoredKey key : List.copyOf(recovered)) {
        if (!promised.contains(key) && !unsure.contains(key)) {
          assertThat(offeredSince).as("recovered, so it was offered").contains(key);
        }
      }
      writeTickets.clear();
      readTickets.clear();
    }

    void count() {
      StoreUsage usage = driver.store.usage();
      moved += usage.reinsertedBytes();
      lost += usage.lostPages();
      killed += usage.start().evictedCopies();
      walked += usage.start().walkedSegments();
      failed += usage.writeErrors();
      refused += usage.refusedDegraded();
    }

    void check() {
      StoreUsage usage = driver.store.usage();
      assertThat(driver.findable).hasSize((int) usage.pages());
      assertThat(usage.liveBytes())
          .isEqualTo(driver.findable.values().stream().mapToLong(Long::longValue).sum());
      assertNoneGone(driver.findable.keySet());
    }

    void assertNoneGone(Set<StoredKey> keys) {
      assertThat(gone).as("evicted, so not there").noneMatch(keys::contains);
    }

    StoredKey randomKey() {
      return key(random.nextInt(KEYS));
    }

    static StoredKey key(int number) {
      return new StoredKey(
          number % 2 == 0 ? NAMESPACE : OTHER, number % 3, new PageKey(number + 1, ~number));
    }

    static long[] payloads(StoredKey key) {
      int number = (int) key.key().high();
      return switch (number % 4) {
        case 0 -> new long[] {1};
        case 1 -> new long[] {4096, 4095, 1};
        case 2 -> new long[] {0, 9000};
        default -> new long[] {12_288 - number};
      };
    }
  }
}
