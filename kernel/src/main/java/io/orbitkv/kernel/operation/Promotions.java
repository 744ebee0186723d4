package io.orbitkv.kernel.operation;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.policy.AdmissionVerdict;
import io.orbitkv.kernel.policy.Asked;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.policy.PageIds;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.AdmissionCount;
import io.orbitkv.kernel.step.Step;
import io.orbitkv.kernel.table.LongMap;
import java.util.BitSet;

/**
 * Whether pages that were read for a demand stay in host memory: a policy is asked when the demand
 * gets them. Those that are not to stay are evicted first, once nobody refers to them, unless
 * another demand uses them: then they are ordinary pages again. A chain that is put off is treated
 * so too, and asked for at its next read. Dispatcher.
 */
final class Promotions {
  private final Step step;
  private final Residency residency;
  private final Asked asked;
  private final Lineage lineage;
  private final AdmissionCount count;
  private final LongMap<Question> open = new LongMap<>();

  Promotions(Step step, Residency residency, Asked asked, Lineage lineage) {
    this.step = step;
    this.residency = residency;
    this.asked = asked;
    this.lineage = lineage;
    this.count = new AdmissionCount(step);
  }

  /** Pages that were read; their numbers may belong to others by the time of the answer. */
  private record Question(long chain, int[] numbers, int[] domains, long[] keys) {}

  /**
   * A demand got its pages.
   *
   * @param pages all of them
   * @param read the places of those that were read
   */
  void granted(Decision decision, int[] pages, BitSet read) {
    if (!asked.asks(PolicySlot.ADMISSION_PROMOTE)) {
      return;
    }
    int size = read.cardinality();
    int[] numbers = new int[size];
    int[] domains = new int[size];
    long[] keys = new long[2 * size];
    long bytes = 0;
    int next = 0;
    for (int place = read.nextSetBit(0); place >= 0; place = read.nextSetBit(place + 1)) {
      int page = pages[place];
      numbers[next] = page;
      domains[next] = residency.domain(page);
      keys[2 * next] = residency.keyHigh(page);
      keys[2 * next + 1] = residency.keyLow(page);
      bytes += residency.bytes(page);
      next++;
    }
    int first = read.nextSetBit(0);
    boolean follows = first > 0 && first < decision.pagesOfGroup()[0];
    int before = follows ? pages[first - 1] : Residency.NONE;
    long ticket = asked.nextTicket();
    open.put(ticket, new Question(PageIds.of(keys[0], keys[1]), numbers, domains, keys));
    count.asked();
    step.emit(
        new Command.AskAdmission(
            ticket,
            PolicySlot.ADMISSION_PROMOTE,
            lineage.chain(
                follows ? residency.keyHigh(before) : 0,
                follows ? residency.keyLow(before) : 0,
                keys,
                0,
                size,
                bytes,
                TierKind.SSD)));
  }

  /** The answer to a question; returns whether it was one. */
  boolean advised(Event.AdmissionAdvice advice) {
    Question question = open.remove(advice.ticket());
    if (question == null) {
      return false;
    }
    if (count.verdict(question.chain(), advice.verdict()) != AdmissionVerdict.ADMIT) {
      long[] keys = question.keys();
      // From the tail to the head, so that the tail counts as older and is evicted first.
      for (int i = question.numbers().length - 1; i >= 0; i--) {
        int page = question.numbers()[i];
        if (residency.is(page, question.domains()[i], keys[2 * i], keys[2 * i + 1])
            && residency.demote(page)) {
          step.count(KernelCounter.READ_PAGES_NOT_PROMOTED);
        }
      }
    }
    return true;
  }
}
