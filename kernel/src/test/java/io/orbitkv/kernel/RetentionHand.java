package io.orbitkv.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.policy.PageEvents;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.kernel.policy.PageColumns;
import io.orbitkv.kernel.policy.PageIds;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;

/**
 * The policy of one retention slot, answering when and what a test says. It keeps what it was told
 * of each page and demands that pages come and go once. Pages are named by numbers.
 */
final class RetentionHand implements Outbox {
  private static final int NAMES = 10_000;
  final PolicySlot slot;
  final ArrayDeque<Command.AskScores> questions = new ArrayDeque<>();
  final ArrayDeque<PageColumns> kept = new ArrayDeque<>();
  final Set<Long> known = new TreeSet<>();
  final List<String> told = new ArrayList<>();
  private final KernelHarness kernel;
  private final Map<Long, Long> names = new HashMap<>();
  boolean keeps;
  long markOfEvents;

  RetentionHand(PolicySlot slot, KernelHarness kernel) {
    this.slot = slot;
    this.kernel = kernel;
    for (long name = 0; name < NAMES; name++) {
      names.put(id(name), name);
    }
  }

  static long id(long name) {
    return PageIds.of(name * 31 + 7, name);
  }

  long name(long id) {
    Long name = names.get(id);
    assertNotNull(name, "no page has the id [" + id + "]");
    return name;
  }

  @Override
  public void add(Command command) {
    if (command instanceof Command.ObservePages pages && pages.slot() == slot) {
      observe(pages.events());
    } else if (command instanceof Command.AskScores question && question.slot() == slot) {
      if (question.adopt()) {
        names(question.candidates()).forEach(name -> assertTrue(known.add(name), "told twice"));
      }
      questions.add(question);
    }
  }

  private void observe(PageColumns events) {
    for (int i = 0; i < events.size(); i++) {
      long name = name(events.id(i));
      told.add(events.kind(i) + " " + name);
      boolean fits =
          switch (events.kind(i)) {
            case INSERTED -> known.add(name);
            case USED -> known.contains(name);
            case REMOVED -> known.remove(name);
          };
      assertTrue(fits, told::toString);
      if (markOfEvents != 0 && events.kind(i) == PageEvents.Kind.INSERTED) {
        events.setMark(i, markOfEvents);
      }
    }
    if (keeps) {
      kept.add(events);
    } else {
      events.recycle();
    }
  }

  /** It serves from now on. */
  void serve() {
    known.clear();
    questions.clear();
    kernel.step(new Event.Policies(Set.of(slot), Set.of(slot)));
  }

  /** Nobody serves from now on. */
  void leave() {
    kernel.step(new Event.Policies(Set.of(), Set.of()));
  }

  List<Long> names(PageColumns columns) {
    List<Long> all = new ArrayList<>();
    for (int i = 0; i < columns.size(); i++) {
      all.add(name(columns.id(i)));
    }
    return all;
  }

  /** The candidates of the open question, ascending. */
  List<Long> candidates() {
    return names(open().candidates()).stream().sorted().toList();
  }

  Command.AskScores open() {
    Command.AskScores question = questions.peek();
    assertNotNull(question, "nothing is asked");
    return question;
  }

  /** The entry of a page in the open question. */
  int entry(long name) {
    int entry = names(open().candidates()).indexOf(name);
    assertTrue(entry >= 0, "page [" + name + "] is no candidate: " + candidates());
    return entry;
  }

  /** Answers the open question with a score for each name. */
  void score(LongUnaryOperator scoreOfName) {
    Command.AskScores question = questions.remove();
    PageColumns columns = question.candidates();
    for (int i = 0; i < columns.size(); i++) {
      columns.scores()[i] = scoreOfName.applyAsLong(name(columns.id(i)));
    }
    kernel.step(new Event.ScoresAdvice(question.ticket(), columns, false));
  }

  /** The open question is not answered in time. */
  void isLate() {
    Command.AskScores question = questions.remove();
    for (int i = 0; i < question.candidates().size(); i++) {
      question.candidates().scores()[i] = Long.MIN_VALUE;
    }
    kernel.step(new Event.ScoresAdvice(question.ticket(), question.candidates(), true));
  }

  void assertKnows(long pages) {
    kernel.step(new Event.Tick());
    assertEquals(pages, known.size(), known::toString);
  }
}
