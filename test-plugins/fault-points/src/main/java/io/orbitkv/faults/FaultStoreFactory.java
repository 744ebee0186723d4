package io.orbitkv.faults;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.simulation.BackingScript;
import io.orbitkv.testkit.simulation.DeterministicBackingTier;
import io.orbitkv.testkit.simulation.FileBarriers;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Makes the backing tier {@code fault-store}. */
final class FaultStoreFactory implements BackingTierFactory<FaultStoreSettings> {
  FaultStoreFactory() {}

  @Override
  public String name() {
    return "fault-store";
  }

  @Override
  public Class<FaultStoreSettings> settings() {
    return FaultStoreSettings.class;
  }

  @Override
  public Optional<FaultStoreSettings> part(FaultStoreSettings settings, int part, double share) {
    return Optional.of(
        new FaultStoreSettings(
            settings.directory(),
            new ByteSize((long) (settings.capacity().bytes() * share)),
            settings.queueOperations(),
            settings.keepIn().equals("none") ? "none" : settings.keepIn() + "." + part));
  }

  @Override
  public BackingTier create(
      FaultStoreSettings settings, List<HostChunk> chunks, PluginContext context) {
    return new DeterministicBackingTier(
        settings.capacity().bytes(),
        settings.queueOperations(),
        BackingScript.behind(new FileBarriers(Path.of(settings.directory()))),
        context.threads(),
        settings.keepIn().equals("none") ? null : Path.of(settings.keepIn()));
  }
}
