package io.orbitkv.workload.sim.run;

import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import io.orbitkv.workload.sim.hardware.Mix;

/** A hash of the kernel's state with its numbers rounded: equal for states that are alike. */
final class Abstraction {
  private static final int MANY = 3;

  private final World world;

  Abstraction(World world) {
    this.world = world;
  }

  long hash(Event event) {
    Model model = world.model;
    KernelStatus status = world.status;
    int[] leases = new int[Phase.values().length];
    for (LeaseModel lease : model.holding.values()) {
      leases[Effects.phase(lease).ordinal()]++;
    }
    int restores = 0;
    for (RunningCopy copy : model.running.values()) {
      restores += copy.publishes() ? 0 : 1;
    }
    int shapes = 0;
    for (InstanceModel instance : model.instances.values()) {
      if (instance.live()) {
        shapes |= 1 << Shape.ALL.indexOf(instance.shape);
      }
    }
    int waiting = 0;
    int alike = 0;
    for (Op op : model.undecided.values()) {
      waiting++;
      alike |= 1 << op.query.code();
    }
    long hash = Mix.of(event.getClass().getSimpleName().hashCode(), few(waiting), alike);
    for (int count : leases) {
      hash = Mix.add(hash, few(count));
    }
    hash = Mix.add(hash, few(restores) * 8L + few(model.running.size() - restores));
    hash = Mix.add(hash, few(model.unsealed.size()));
    hash = Mix.add(hash, shapes);
    hash = Mix.add(hash, 8 * status.reservedBytes() / status.budgetBytes());
    hash = Mix.add(hash, Long.SIZE - Long.numberOfLeadingZeros(status.residentPages()));
    hash = Mix.add(hash, few(status.unsealedPages()));
    hash = Mix.add(hash, Long.signum(status.orphanBytes()));
    hash = Mix.add(hash, Long.signum(status.quarantinedBytes()));
    return Mix.add(hash, model.draining ? 1 : 0);
  }

  private static int few(int count) {
    return Math.min(count, MANY);
  }
}
