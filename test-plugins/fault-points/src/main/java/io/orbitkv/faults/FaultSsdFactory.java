package io.orbitkv.faults;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.ssd.SsdSettings;
import io.orbitkv.ssd.SsdTier;
import io.orbitkv.testkit.simulation.BackingScript;
import io.orbitkv.testkit.simulation.FileBarriers;
import io.orbitkv.testkit.simulation.ScriptedBackingTier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Makes the backing tier {@code fault-ssd}: the SSD store on a real file, behind barriers. */
final class FaultSsdFactory implements BackingTierFactory<FaultSsdSettings> {
  FaultSsdFactory() {}

  @Override
  public String name() {
    return "fault-ssd";
  }

  @Override
  public Class<FaultSsdSettings> settings() {
    return FaultSsdSettings.class;
  }

  @Override
  public Optional<FaultSsdSettings> part(FaultSsdSettings settings, int part, double share) {
    SsdSettings store =
        SsdSettings.of(List.of(settings.path()), settings.capacity()).part(part, share);
    return Optional.of(
        new FaultSsdSettings(
            settings.directory(),
            store.paths().getFirst(),
            store.capacity(),
            settings.fresh(),
            settings.readRate()));
  }

  @Override
  public BackingTier create(
      FaultSsdSettings settings, List<HostChunk> chunks, PluginContext context) {
    if (settings.fresh()) {
      remove(Path.of(settings.path()));
    }
    BackingTier scripted =
        new ScriptedBackingTier(
            SsdTier.open(onFile(settings), chunks, context),
            BackingScript.behind(new FileBarriers(Path.of(settings.directory()))),
            context.threads());
    return settings.readRate().bytes() == 0
        ? scripted
        : new PacedTier(scripted, settings.readRate().bytes(), context.threads());
  }

  private static void remove(Path store) {
    try {
      Files.deleteIfExists(store);
    } catch (IOException failed) {
      throw new IllegalStateException("store [" + store + "] cannot be removed: " + failed, failed);
    }
  }

  /** Folders for temporary files may lie in memory, which has no direct transfers. */
  private static SsdSettings onFile(FaultSsdSettings settings) {
    SsdSettings store = SsdSettings.of(List.of(settings.path()), settings.capacity());
    try {
      Path folder = Path.of(settings.path()).toAbsolutePath().getParent();
      String type = folder == null ? "" : Files.getFileStore(folder).type();
      return type.equals("tmpfs") ? store.with(store.engine(), SsdSettings.Direct.OFF) : store;
    } catch (IOException failed) {
      throw new IllegalStateException(failed.getMessage(), failed);
    }
  }
}
