package io.orbitkv.workload.ab.simulate;

/** Tells of another model; how it runs is the subclass's. */
abstract class ForwardingModel implements SimulatedModel {
  private final SimulatedModel model;

  ForwardingModel(SimulatedModel model) {
    this.model = model;
  }

  /** The other model. */
  final SimulatedModel model() {
    return model;
  }

  @Override
  public String trace() {
    return model.trace();
  }

  @Override
  public int requests() {
    return model.requests();
  }

  @Override
  public double durationSeconds() {
    return model.durationSeconds();
  }

  @Override
  public long conversation(int request) {
    return model.conversation(request);
  }

  @Override
  public long pageBytes() {
    return model.pageBytes();
  }

  @Override
  public long dramBytes() {
    return model.dramBytes();
  }

  @Override
  public long ssdBytes() {
    return model.ssdBytes();
  }

  @Override
  public ReferenceLines references() {
    return model.references();
  }
}
