package io.orbitkv.workload.sim.run;

import io.orbitkv.api.policy.Facts;
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
 * used since, or came before such a page and was used alike.
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
  private final Set<Long> byScore = new HashSet<>();
  private final Set<Long> otherwise = new HashSet<>();

  /** A page as the kernel and the policy name it. */
  private record Page(int handle, long id) {}

  /** What tells whether a page was used. */
  private record Use(long uses, long lastUseNanos) {}

  /**
   * The lowest quarter of an answer, from the time on at which the kernel heard it.
   *
   * @param followers what came before pages that it had evicted, by id
   * @param droppedBefore events that nobody was told when it came
   */
  private record Scored(
      long sinceNanos, Map<Page, Use> low, Map<Long, Use> followers, long droppedBefore) {

    /** Whether it gives the page up. */
    boolean names(Removed page) {
      return page.use().equals(low.get(page.page())) || follows(page);
    }

    private boolean follows(Removed page) {
      return page.use().lastUseNanos() != Facts.UNKNOWN
          && page.use().equals(followers.get(page.page().id()));
    }
  }

  private record Removed(Page page, long parent, Use use, long nanos) {}

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
        removed.add(
            new Removed(page(events, i), events.parent(i), use(events, i), events.nanoTime(i)));
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
    long highest = scores[(size + 3) / 4 - 1];
    Map<Page, Use> low = new HashMap<>();
    for (int i = 0; i < size; i++) {
      if (columns.scores()[i] <= highest) {
        low.put(page(columns, i), use(columns, i));
      }
    }
    answers.add(new Scored(world.nowNanos, low, new HashMap<>(), dropped()));
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
    }
    if (scored > 0) {
      byScore.add(world.nowNanos);
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
      if (byScore.contains(nanos)) {
        boolean named = isNamed(page);
        if (!otherwise.contains(nanos)) {
          world.require(
              Invariant.VICTIM_AS_SCORED,
              named,
              "evicted by a score that it did not get, or that was of before its last use",
              page);
        }
      }
    }
    removed.clear();
    while (answers.size() > 1) {
      answers.remove();
    }
    byScore.clear();
    otherwise.clear();
  }

  /** Whether an answer that counted at the time gives it up; the page before it may follow then. */
  private boolean isNamed(Removed page) {
    Scored counting = null;
    boolean named = false;
    for (Scored answer : answers) {
      if (answer.sinceNanos() < page.nanos()) {
        counting = answer;
      } else if (answer.sinceNanos() == page.nanos()) {
        named |= isNamedBy(answer, page);
      }
    }
    return (counting != null && isNamedBy(counting, page)) || named;
  }

  private boolean isNamedBy(Scored answer, Removed page) {
    if (answer.names(page)) {
      answer.followers().put(page.parent(), page.use());
      return true;
    }
    // Perhaps it followed one whose end nobody was told.
    return dropped() != answer.droppedBefore();
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
