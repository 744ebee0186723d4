package io.orbitkv.hostcopy;

import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.plugin.PluginContext;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;

/** A context one of whose counters throws what was planted, once each. */
final class FaultyContext implements PluginContext, Meters {
  private final PluginContext sound;
  private final String faultyCounter;
  private final List<Error> planted;

  FaultyContext(PluginContext sound, String faultyCounter, List<Error> planted) {
    this.sound = sound;
    this.faultyCounter = faultyCounter;
    this.planted = planted;
  }

  @Override
  public String pluginId() {
    return sound.pluginId();
  }

  @Override
  public LongSupplier nanoClock() {
    return sound.nanoClock();
  }

  @Override
  public ThreadFactory threads() {
    return sound.threads();
  }

  @Override
  public System.Logger log() {
    return sound.log();
  }

  @Override
  public Meters meters() {
    return this;
  }

  @Override
  public <T extends AutoCloseable> T closeWithScope(T resource) {
    return sound.closeWithScope(resource);
  }

  @Override
  public Counter counter(String name, String description) {
    Counter counter = sound.meters().counter(name, description);
    return amount -> {
      synchronized (planted) {
        if (name.equals(faultyCounter) && !planted.isEmpty()) {
          throw planted.removeFirst();
        }
      }
      counter.add(amount);
    };
  }

  @Override
  public void gauge(String name, String description, LongSupplier value) {
    sound.meters().gauge(name, description, value);
  }

  @Override
  public Timer timer(String name, String description) {
    return sound.meters().timer(name, description);
  }
}
