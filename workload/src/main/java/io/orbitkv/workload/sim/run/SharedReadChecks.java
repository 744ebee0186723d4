package io.orbitkv.workload.sim.run;

import io.orbitkv.api.query.AnswerState;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.rule.Invariant;
import java.util.ArrayList;
import java.util.List;

/** Checks that one owner's leaving ends no other owner of a read that both share. */
final class SharedReadChecks {
  private final World world;
  private final List<Op> others = new ArrayList<>();

  SharedReadChecks(World world) {
    this.world = world;
  }

  /** Before the kernel's step: whoever else has its first page read. */
  void before(Event event) {
    others.clear();
    boolean leaves =
        event instanceof Event.Cancel
            || event instanceof Event.Submit
            || event instanceof Event.SessionClosed;
    if (!leaves || world.model.reading.isEmpty()) {
      return;
    }
    for (Op op : world.model.undecided.values()) {
      boolean own = op.client.id == EventNames.session(event);
      boolean dense = !op.strict() && !op.speculative();
      if (!own && dense && world.model.reading.containsKey(op.page(0))) {
        others.add(op);
      }
    }
  }

  /** After the kernel's step. */
  void after(Event event) {
    for (Op op : others) {
      InstanceModel instance = world.model.instances.get(op.instance);
      if (instance != null && instance.live() && !AnswerChecks.shared(op)) {
        world.require(
            Invariant.SHARED_READ_SURVIVES,
            op.end == null || op.end == AnswerState.READY,
            "ended by the leaving of another, while its first page is being read",
            op);
      }
    }
  }
}
