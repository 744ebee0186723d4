package io.orbitkv.kernel.operation;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierKind;
import io.orbitkv.kernel.QueuedRequest;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.policy.Lineage;
import io.orbitkv.kernel.read.ReadTask;
import io.orbitkv.kernel.read.Reads;
import io.orbitkv.kernel.residency.Residency;
import java.util.List;

/**
 * Requests as policies see them. The kernel knows no scope, no hints and nothing of what lies on
 * the device; a prompt has as many tokens as its complete pages. Dispatcher.
 */
final class RequestDescriptions {
  private final Residency residency;
  private final Reads reads;
  private final Lineage lineage;
  private int[] found = new int[64];

  RequestDescriptions(Residency residency, Reads reads, Lineage lineage) {
    this.residency = residency;
    this.reads = reads;
    this.lineage = lineage;
  }

  /** A decision whose read is planned: what is there is taken already. */
  RequestFacts of(Decision decision, ReadTask task) {
    int present = task.present();
    return facts(
        decision.instance(),
        decision.requestId(),
        decision.submittedNanos,
        decision.groups(),
        decision.pagesOfGroup(),
        decision.keys(),
        present,
        task.wanted() - present);
  }

  /** A request of a queue. */
  RequestFacts of(Instance instance, QueuedRequest request, long arrivalNanos) {
    long[] keys = request.keys();
    int place = 0;
    int present = 0;
    int stored = 0;
    boolean all = true;
    for (int i = 0; i < request.groups().length; i++) {
      int domain = instance.domain(request.groups()[i]);
      int count = request.pagesOfGroup()[i];
      if (found.length < count) {
        found = new int[Math.max(count, found.length * 2)];
      }
      int resident = all ? residency.findPrefix(domain, keys, place, count, found, 0) : 0;
      present += resident;
      all &= resident == count;
      int next = place + resident;
      int end = place + count;
      while (next < end && obtainable(domain, keys, next)) {
        stored++;
        next++;
      }
      place = end;
    }
    return facts(
        instance,
        request.requestId(),
        arrivalNanos,
        request.groups(),
        request.pagesOfGroup(),
        keys,
        present,
        stored);
  }

  private boolean obtainable(int domain, long[] keys, int place) {
    long high = keys[2 * place];
    long low = keys[2 * place + 1];
    return reads.obtainable(domain, high, low)
        || residency.find(domain, high, low) != Residency.NONE;
  }

  private RequestFacts facts(
      Instance instance,
      String requestId,
      long arrivalNanos,
      int[] groups,
      int[] pagesOfGroup,
      long[] keys,
      int present,
      int stored) {
    int pages = keys.length / 2;
    // The prefix group comes first; a model without one is known by the pages that it has.
    int first = pagesOfGroup[0] > 0 ? pagesOfGroup[0] : pages;
    TierKind tier = stored > 0 ? TierKind.SSD : present > 0 ? TierKind.DRAM : TierKind.DEVICE;
    ChainFacts chain = lineage.deepest(keys, first, instance.pageBytes(groups[0]), tier);
    return new RequestFacts(
        instance.name(),
        requestId,
        "",
        arrivalNanos,
        (int) Math.min(Integer.MAX_VALUE, (long) pagesOfGroup[0] * instance.pageTokens()),
        pages,
        chain,
        0,
        present,
        stored,
        false,
        List.of(),
        groups.length);
  }
}
