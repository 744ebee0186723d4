package io.orbitkv.dram;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory;
import io.orbitkv.api.plugin.PluginContext;

/** Makes the tier {@code dram}. */
final class DramTierFactory implements MemoryTierFactory<DramSettings> {
  DramTierFactory() {}

  @Override
  public String name() {
    return "dram";
  }

  @Override
  public Class<DramSettings> settings() {
    return DramSettings.class;
  }

  @Override
  public MemoryTier create(DramSettings settings, Request request, PluginContext context) {
    try {
      return DramTier.create(settings, request, context, new LinuxPageMemory());
    } catch (LinkageError refused) {
      throw new IllegalStateException(
          "the tier [dram] cannot reach the C library through JNA: "
              + refused.getMessage()
              + "; it runs on 64-bit Linux with JNA's library unpacked (jna.boot.library.path) and"
              + " native access granted",
          refused);
    }
  }
}
