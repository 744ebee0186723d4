package io.orbitkv.kernel.transfer;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.operation.PublishOperation;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.AdmissionCount;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which new pages of publishes may enter host memory. A run of new pages is asked for once, but
 * those that somebody asked for before and those that nobody knows are two runs. The publish waits
 * for the answers. What is decided for a page holds for every rank of its generation, so that no
 * rank waits for partners that were turned away: it is kept until each rank has come as often as
 * the others. Dispatcher.
 */
final class PublishAdmissions {
  /** Pages whose decision is kept at most; beyond it new ones are let in unasked. */
  static final int MOST_PAGES = 1 << 16;

  private final Step step;
  private final Residency residency;
  private final Asked asked;
  private final Lineage lineage;
  private final AdmissionCount count;
  private final LongMap<Question> open = new LongMap<>();
  // In the order in which they were asked for.
  private final Map<Page, Judgement> judgements = new LinkedHashMap<>();
  // Publishes that wait, by operation.
  private final Map<PublishOperation, Waiting> waiting = new HashMap<>();

  PublishAdmissions(Step step, Residency residency, Asked asked, Lineage lineage) {
    this.step = step;
    this.residency = residency;
    this.asked = asked;
    this.lineage = lineage;
    this.count = new AdmissionCount(step);
  }

  /** A page of a generation. */
  private record Page(Instance instance, int group, long high, long low) {}

  /** About a run of pages. */
  static final class Question {
    private final long chain;
    private final List<Page> pages = new ArrayList<>();
    private final List<Waiting> waiting = new ArrayList<>(1);
    private boolean answered;
    private boolean admitted;

    private Question(long chain) {
      this.chain = chain;
    }
  }

  /** What was asked for a page, and how often each rank came with it. */
  private static final class Judgement {
    final Question question;
    final int[] seen;
    final long sinceNanos;

    Judgement(Question question, int ranks, long sinceNanos) {
      this.question = question;
      this.seen = new int[ranks];
      this.sinceNanos = sinceNanos;
    }

    /** Whether nobody needs it any more. */
    boolean over() {
      for (int times : seen) {
        if (times != seen[0]) {
          return false;
        }
      }
      return question.answered;
    }
  }

  /** A publish with pages that are asked for. */
  static final class Waiting {
    private final PublishOperation operation;
    private final @Nullable Question[] questions;
    private int unanswered;

    private Waiting(PublishOperation operation) {
      this.operation = operation;
      this.questions = new Question[operation.pages().length];
    }

    PublishOperation operation() {
      return operation;
    }

    /** Whether it has to wait. */
    boolean waits() {
      return unanswered > 0;
    }

    /** Whether the page at a place may not enter. */
    boolean refuses(int place) {
      Question question = questions[place];
      return question != null && question.answered && !question.admitted;
    }
  }

  // ---- questions -------------------------------------------------------------------------------

  /** Whether a publish concerns it at all. */
  boolean involved() {
    return lineage.listening() || !judgements.isEmpty();
  }

  /** A publish has come: asks for what is new in it. Returns null when nothing of it is judged. */
  @Nullable Waiting arrived(PublishOperation operation) {
    Waiting publish = new Waiting(operation);
    boolean judged = false;
    int places = operation.pages().length;
    int from = 0;
    while (from < places) {
      Question question = known(operation, from);
      if (question == null && isNew(operation, from)) {
        int to = from + 1;
        while (to < places && known(operation, to) == null && isNew(operation, to)) {
          to++;
        }
        compute(operation, from, to);
        for (int end = runEnd(operation, from, to); from < to; end = runEnd(operation, from, to)) {
          judged |= ask(publish, from, end);
          from = end;
        }
      } else {
        learn(operation, from, from + 1);
        if (question != null) {
          publish.questions[from] = question;
          wait(publish, question);
          judged = true;
        }
        from++;
      }
    }
    for (int place = 0; place < places; place++) {
      seen(operation, place);
    }
    if (publish.waits()) {
      waiting.put(operation, publish);
    }
    return judged ? publish : null;
  }

  private void compute(PublishOperation operation, int from, int to) {
    lineage.compute(
        operation.parentHigh(from),
        operation.parentLow(from),
        operation.publish().keys(),
        from,
        to,
        step.nowNanos());
  }

  private int runEnd(PublishOperation operation, int from, int to) {
    int end = from;
    while (end < to && isUsed(operation, end) == isUsed(operation, from)) {
      end++;
    }
    return end;
  }

  private boolean isUsed(PublishOperation operation, int place) {
    return lineage.isUsed(operation.keyHigh(place), operation.keyLow(place));
  }

  private void learn(PublishOperation operation, int from, int to) {
    lineage.learn(
        operation.parentHigh(from),
        operation.parentLow(from),
        operation.publish().keys(),
        from,
        to);
  }

  private static Page page(PublishOperation operation, int place) {
    return new Page(
        operation.instance(), operation.group(), operation.keyHigh(place), operation.keyLow(place));
  }

  private @Nullable Question known(PublishOperation operation, int place) {
    Judgement judgement = judgements.get(page(operation, place));
    return judgement == null ? null : judgement.question;
  }

  private boolean isNew(PublishOperation operation, int place) {
    Instance instance = operation.instance();
    int domain = instance.domain(operation.group());
    long high = operation.keyHigh(place);
    long low = operation.keyLow(place);
    return residency.find(domain, high, low) == Residency.NONE
        && residency.findInFlight(instance.inFlight(), domain, high, low) == Residency.NONE;
  }

  /** Asks for a run of pages; returns whether anybody is to be asked. */
  private boolean ask(Waiting publish, int from, int to) {
    PublishOperation operation = publish.operation;
    Instance instance = operation.instance();
    long[] keys = operation.publish().keys();
    long high = operation.parentHigh(from);
    long low = operation.parentLow(from);
    if (!asked.asks(PolicySlot.ADMISSION_DRAM) || judgements.size() + to - from > MOST_PAGES) {
      return false;
    }
    Question question = new Question(PageIds.of(keys[2 * from], keys[2 * from + 1]));
    for (int place = from; place < to; place++) {
      Page page = page(operation, place);
      publish.questions[place] = question;
      // A publish may name a page twice.
      if (judgements.putIfAbsent(
              page, new Judgement(question, instance.worldSize(), step.nowNanos()))
          == null) {
        question.pages.add(page);
      }
    }
    wait(publish, question);
    long ticket = asked.nextTicket();
    open.put(ticket, question);
    count.asked();
    step.emit(
        new Command.AskAdmission(
            ticket,
            PolicySlot.ADMISSION_DRAM,
            lineage.chain(
                high,
                low,
                keys,
                from,
                to,
                (to - from) * instance.pageBytes(operation.group()),
                TierKind.DEVICE)));
    return true;
  }

  private static void wait(Waiting publish, Question question) {
    if (!question.answered
        && (question.waiting.isEmpty() || question.waiting.getLast() != publish)) {
      question.waiting.add(publish);
      publish.unanswered++;
    }
  }

  private void seen(PublishOperation operation, int place) {
    if (judgements.isEmpty()) {
      return;
    }
    Page page = page(operation, place);
    Judgement judgement = judgements.get(page);
    if (judgement != null) {
      judgement.seen[operation.rank()]++;
      if (judgement.over()) {
        judgements.remove(page);
      }
    }
  }

  // ---- answers ---------------------------------------------------------------------------------

  /** The answer to a question; returns whom it lets go on, in order, or null if it was no such. */
  @Nullable List<Waiting> advised(Event.AdmissionAdvice advice) {
    Question question = open.remove(advice.ticket());
    if (question == null) {
      return null;
    }
    question.answered = true;
    question.admitted =
        switch (count.verdict(question.chain, advice.verdict())) {
          case ADMIT -> true;
          case LATER, DROP -> false;
        };
    for (Page page : question.pages) {
      Judgement judgement = judgements.get(page);
      if (judgement != null && judgement.question == question && judgement.over()) {
        judgements.remove(page);
      }
    }
    List<Waiting> goOn = new ArrayList<>(question.waiting.size());
    for (Waiting publish : question.waiting) {
      publish.unanswered--;
      if (!publish.waits() && waiting.remove(publish.operation, publish)) {
        goOn.add(publish);
      }
    }
    question.waiting.clear();
    return goOn;
  }

  // ---- endings ---------------------------------------------------------------------------------

  /** A publish waits no more: it is given up. */
  void over(PublishOperation operation) {
    waiting.remove(operation);
  }

  /** A generation ended. */
  void retired(Instance instance) {
    judgements.keySet().removeIf(page -> page.instance() == instance);
  }

  /** Forgets what was decided for ranks that do not come. */
  void expire() {
    long lifetime = step.settings().lifetimes().unsealed().toNanos();
    Iterator<Judgement> oldest = judgements.values().iterator();
    while (oldest.hasNext()) {
      Judgement judgement = oldest.next();
      if (step.nowNanos() - judgement.sinceNanos < lifetime || !judgement.question.answered) {
        break;
      }
      oldest.remove();
    }
  }

  // ---- books -----------------------------------------------------------------------------------

  /** Pages whose decision is kept. */
  int kept() {
    return judgements.size();
  }

  /** The deep check: who waits, waits for an answer that will come. */
  void verify() {
    Map<Waiting, Integer> expected = new HashMap<>();
    for (Question question : open.values()) {
      for (Waiting publish : question.waiting) {
        expected.merge(publish, 1, Integer::sum);
      }
    }
    for (Waiting publish : waiting.values()) {
      if (publish.operation.copying() != PublishOperation.Copying.WAITING
          || publish.unanswered == 0
          || expected.getOrDefault(publish, 0) != publish.unanswered) {
        throw new IllegalStateException(
            "publish ["
                + publish.operation.id()
                + "] waits for ["
                + publish.unanswered
                + "] answers, of which ["
                + expected.getOrDefault(publish, 0)
                + "] will come");
      }
    }
  }
}
