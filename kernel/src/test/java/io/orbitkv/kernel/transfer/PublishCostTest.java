package io.orbitkv.kernel.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.lease.BudgetLimits;
import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.page.GroupSpec;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.FakeMemoryTier;
import io.orbitkv.kernel.KernelSettings;
import io.orbitkv.kernel.WriteAdmission;
import io.orbitkv.kernel.instance.Domains;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.instance.Registration;
import io.orbitkv.kernel.operation.PendingKeys;
import io.orbitkv.kernel.operation.PublishOperation;
import io.orbitkv.kernel.operation.Replies;
import io.orbitkv.kernel.operation.Session;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.residency.PageState;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.residency.StoredPages;
import io.orbitkv.kernel.step.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What the end of a publish costs while many others are live. */
class PublishCostTest {
  private static final int PAGES = 500;
  private static final int RANKS = 2;

  private final Step step =
      new Step(
          KernelSettings.of(new BudgetLimits(1L << 30, 1L << 30), PAGES), new SplittableRandom(3));
  private final Replies replies = new Replies(step);
  private final FakeMemoryTier memory = new FakeMemoryTier(1L << 30);
  private final Residency residency = new Residency(memory, PAGES, step.counters());
  private final PendingKeys pendingKeys = new PendingKeys(1 << 20);
  private final Asked asked = new Asked();
  private final Lineage lineage = new Lineage(1);
  private final Writes writes =
      new Writes(
          step,
          residency,
          new StoredPages(0, step.counters()),
          new Domains(),
          WriteAdmission.ALL,
          asked,
          lineage);
  private final Publishes publishes =
      new Publishes(
          step,
          replies,
          residency,
          new Plans(step, residency),
          pendingKeys,
          writes,
          new DurableSyncs(step, replies, writes, new StoreTickets()),
          asked,
          lineage);
  private final List<Session> sessions = new ArrayList<>();
  private final List<Registration> workers = new ArrayList<>();

  private void start() {
    step.begin(1, command -> {});
    memory.chunks().forEach(memory::activate);
    LayerLayout layer = new LayerLayout("layer", 0, 0, 16, 64, 1, 64, 64);
    List<GroupSpec> groups = List.of(new GroupSpec(0, new GroupRule.Prefix()));
    Instance instance =
        new Instance(
            1,
            1,
            "engine",
            new Namespace("ab".repeat(32)),
            new WorkerLayout(0, RANKS, 16, -1, groups, List.of(layer)),
            residency.newInFlightIndex());
    for (int rank = 0; rank < RANKS; rank++) {
      sessions.add(new Session(rank, 0));
      WorkerLayout layout = new WorkerLayout(rank, RANKS, 16, -1, groups, List.of(layer));
      Registration worker = new Registration(rank, rank, 1, instance, layout, false);
      worker.opened(() -> {});
      instance.join(worker);
      workers.add(worker);
    }
    assertTrue(instance.sealIfComplete(new Domains()));
  }

  private List<PublishOperation> publishAll(int rank) {
    List<PublishOperation> operations = new ArrayList<>();
    Session session = sessions.get(rank);
    for (int name = 1; name <= PAGES; name++) {
      long[] keys = {name, name};
      publishes.publish(
          session,
          new Event.Publish(
              rank, name, Event.NO_RECORD, 1, 0, 0, PageKey.NONE, keys, new int[] {0}),
          workers.get(rank));
      if (session.operations().get(name) instanceof PublishOperation publish) {
        operations.add(publish);
      }
    }
    return operations;
  }

  @Test
  void pagesOfTwoRanks_sealWithoutALookAtOtherPublishes() {
    start();
    List<PublishOperation> all = new ArrayList<>(publishAll(0));
    all.addAll(publishAll(1));
    assertEquals(RANKS * PAGES, all.size());
    assertEquals(RANKS * PAGES, publishes.live());
    for (PublishOperation operation : all) {
      publishes.completed(operation, new CopyOutcome.Done());
      publishes.commit(operation, true);
    }
    assertEquals(PAGES, residency.pages(PageState.RESIDENT));
    assertEquals(0, publishes.live());
    assertEquals(0, pendingKeys.bytes());
    assertTrue(publishes.looked() <= 2L * (1 + RANKS) * all.size(), publishes.looked() + " looks");
  }

  @Test
  void tick_looksAtTheOldestPublishAlone() {
    start();
    publishAll(0);
    long before = publishes.looked();
    publishes.expire();
    assertEquals(1, publishes.looked() - before);
  }
}
