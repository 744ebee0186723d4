package io.orbitkv.ssd;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.plugin.Finding;
import io.orbitkv.api.plugin.PluginContext;
import java.util.List;
import java.util.Optional;

/** Makes the tier {@code ssd-iouring}. */
final class SsdTierFactory implements BackingTierFactory<SsdSettings> {
  SsdTierFactory() {}

  @Override
  public String name() {
    return "ssd-iouring";
  }

  @Override
  public Class<SsdSettings> settings() {
    return SsdSettings.class;
  }

  @Override
  public BackingTier create(SsdSettings settings, List<HostChunk> chunks, PluginContext context) {
    try {
      return SsdTier.open(settings, chunks, context);
    } catch (LinkageError refused) {
      throw new IllegalStateException(
          "the tier [ssd-iouring] cannot reach the C library through JNA: "
              + refused.getMessage()
              + "; it runs on 64-bit Linux with JNA's library unpacked (jna.boot.library.path) and"
              + " native access granted",
          refused);
    }
  }

  @Override
  public Optional<SsdSettings> part(SsdSettings settings, int part, double share) {
    return Optional.of(settings.part(part, share));
  }

  @Override
  public List<Finding> diagnose(SsdSettings settings) {
    return Diagnosis.of(settings);
  }
}
