package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelCounter;
import io.orbitkv.kernel.instance.Instance;
import io.orbitkv.kernel.read.Reads;
import io.orbitkv.kernel.residency.Residency;
import io.orbitkv.kernel.step.Step;
import java.util.Arrays;

/**
 * Where pages are, without any promise: nothing is reserved, held or touched, and a page may be
 * gone before the answer arrives. Dispatcher.
 */
final class Discovery {
  private final Step step;
  private final Residency residency;
  private final Reads reads;

  Discovery(Step step, Residency residency, Reads reads) {
    this.step = step;
    this.residency = residency;
    this.reads = reads;
  }

  /** Answers at once. */
  void discover(Session session, Event.Submit submit, Instance instance) {
    step.count(KernelCounter.DISCOVERIES);
    int[] groups = submit.groups();
    int[] pagesOfGroup = new int[groups.length];
    int[] positions = new int[submit.keys().length / 2];
    int count = 0;
    int first = 0;
    for (int i = 0; i < groups.length; i++) {
      int domain = instance.domain(groups[i]);
      boolean prefix = groups[i] == 0;
      int before = count;
      for (int place = 0; place < submit.pagesOfGroup()[i]; place++) {
        long high = submit.keys()[2 * (first + place)];
        long low = submit.keys()[2 * (first + place) + 1];
        if (residency.find(domain, high, low) != Residency.NONE
            || reads.obtainable(domain, high, low)) {
          positions[count++] = place;
        } else if (prefix) {
          break;
        }
      }
      first += submit.pagesOfGroup()[i];
      pagesOfGroup[i] = count - before;
    }
    step.emit(
        new Command.Candidates(
            session.id(),
            submit.operation(),
            submit.revision(),
            groups,
            pagesOfGroup,
            Arrays.copyOf(positions, count)));
  }
}
