package io.orbitkv.workload.sim.run;

import org.jspecify.annotations.Nullable;

/** An instance generation. */
final class InstanceModel {
  final int handle;
  final Shape shape;
  final @Nullable Client[] workers;
  boolean retired;

  InstanceModel(int handle, Shape shape) {
    this.handle = handle;
    this.shape = shape;
    this.workers = new Client[shape.worldSize()];
  }

  boolean sealed() {
    for (Client worker : workers) {
      if (worker == null) {
        return false;
      }
    }
    return true;
  }

  boolean live() {
    return !retired && sealed();
  }
}
