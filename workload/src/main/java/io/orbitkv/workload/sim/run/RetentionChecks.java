package io.orbitkv.workload.sim.run;

import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.workload.sim.rule.Invariant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What a retention policy can tell from outside: that the events of pages add up to the pages that
 * are there, and that a page which was evicted in the order of scores was scored low and was not
 * used since.
 */
final class RetentionChecks {
  private final World world;

  /** Pages that the present policies know, for the slots that are asked. */
  private final Map<PolicySlot, Long> known = new EnumMap<>(PolicySlot.class);

  private final Set<Long> openScores = new HashSet<>();
  private long droppedBefore;

  /** Answers that counted when a page was removed of which the policy hears only later. */
  private final ArrayDeque<Scored> answers = new ArrayDeque<>();

  private final List<Removed> removed = new ArrayList<>();
  private final Set<Long> byScoreAlone = new HashSet<>();
  private final Set<Long> otherwise = new HashSet<>();

  /** A page as the kernel and the policy name it. */
  private record Page(int handle, long id) {}

  /** What tells whether a page was used. */
  private record Use(long uses, long lastUseNanos) {}

  /** The lower half of an answer, from the time on at which the kernel heard it. */
  private record Scored(long sinceNanos, Map<Page, Use> low) {}

  private record Removed(Page page, Use use, long nanos) {}

  RetentionChecks(World world) {
    this.world = world;
  }

  /** A decision boundary is about to be told. */
  void changed(Set<PolicySlot> asked, Set<PolicySlot> fresh) {
    for (PolicySlot slot : List.of(PolicySlot.RETENTION_DRAM, PolicySlot.RETENTION_SSD)) {
      if (!asked.contains(slot)) {
        known.remove(slot);
      } else if (fresh.contains(slot)) {
        known.put(slot, 0L);
      }
    }
    if (!asked.contains(PolicySlot.RETENTION_DRAM) || fresh.contains(PolicySlot.RETENTION_DRAM)) {
      openScores.clear();
      answers.clear();
      removed.clear();
    }
    droppedBefore = dropped();
  }

  private long dropped() {
    return Effects.counter(world.status, KernelCounter.PAGE_EVENTS_DROPPED);
  }

  void observed(PolicySlot slot, PageColumns events) {
    for (int i = 0; i < events.size(); i++) {
      long change =
          switch (events.kind(i)) {
            case INSERTED -> 1;
            case USED -> 0;
            case REMOVED -> -1;
          };
      known.merge(slot, change, Long::sum);
      if (slot == PolicySlot.RETENTION_DRAM && events.kind(i) == PageEvents.Kind.REMOVED) {
        removed.add(new Removed(page(events, i), use(events, i), events.nanoTime(i)));
      }
    }
  }

  void asked(Command.AskScores question) {
    if (question.adopt()) {
      known.merge(question.slot(), (long) question.candidates().size(), Long::sum);
    } else if (question.slot() == PolicySlot.RETENTION_DRAM) {
      openScores.add(question.ticket());
    }
  }

  /** An answer is about to be told. */
  void answered(Command.AskScores question, boolean byDefault) {
    if (!openScores.remove(question.ticket()) || byDefault) {
      return;
    }
    PageColumns columns = question.candidates();
    int size = columns.size();
    long[] scores = Arrays.copyOf(columns.scores(), size);
    Arrays.sort(scores);
    long highest = scores[(size + 1) / 2 - 1];
    Map<Page, Use> low = new HashMap<>();
    for (int i = 0; i < size; i++) {
      if (columns.scores()[i] <= highest) {
        low.put(page(columns, i), use(columns, i));
      }
    }
    answers.add(new Scored(world.nowNanos, low));
  }

  private static Page page(PageColumns columns, int i) {
    return new Page(columns.handle(i), columns.id(i));
  }

  private static Use use(PageColumns columns, int i) {
    return new Use(columns.uses(i), columns.lastUseNanos(i));
  }

  // ---- after each step -------------------------------------------------------------------------

  void after(Event event, KernelStatus before) {
    long scored = grown(before, KernelCounter.VICTIMS_BY_SCORE);
    boolean others =
        grown(before, KernelCounter.EVICTED_PAGES) != scored
            || event instanceof Event.CopyCompleted
            || event instanceof Event.PageWritten;
    if (others) {
      otherwise.add(world.nowNanos);
    } else if (scored > 0) {
      byScoreAlone.add(world.nowNanos);
    }
    if (event instanceof Event.Tick) {
      victims();
      sums();
    }
  }

  private long grown(KernelStatus before, KernelCounter counter) {
    return Effects.counter(world.status, counter) - Effects.counter(before, counter);
  }

  /** The tick has told all that happened before it. */
  private void victims() {
    for (Removed page : removed) {
      long nanos = page.nanos();
      if (byScoreAlone.contains(nanos) && !otherwise.contains(nanos)) {
        world.require(
            Invariant.VICTIM_AS_SCORED,
            wasLow(page),
            "evicted by a score that it did not get, or that was of before its last use",
            page);
      }
    }
    removed.clear();
    while (answers.size() > 1) {
      answers.remove();
    }
    byScoreAlone.clear();
    otherwise.clear();
  }

  /** Whether an answer that counted at the time names it so. */
  private boolean wasLow(Removed page) {
    Scored counting = null;
    boolean low = false;
    for (Scored answer : answers) {
      if (answer.sinceNanos() < page.nanos()) {
        counting = answer;
      } else if (answer.sinceNanos() == page.nanos()) {
        low |= isLow(answer, page);
      }
    }
    return low || (counting != null && isLow(counting, page));
  }

  private static boolean isLow(Scored scored, Removed page) {
    return page.use().equals(scored.low().get(page.page()));
  }

  private void sums() {
    if (world.model.draining || dropped() != droppedBefore) {
      return;
    }
    known.forEach((slot, pages) -> {
      long there =
          slot == PolicySlot.RETENTION_DRAM
              ? world.status.residentPages()
              : world.status.storedPages();
      world.suspect(
          Invariant.PAGE_EVENTS_ADD_UP,
          pages == there,
          slot + ": [" + there + "] pages are there, the policy knows",
          pages);
    });
  }
}
