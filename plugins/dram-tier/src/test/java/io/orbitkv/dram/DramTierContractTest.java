package io.orbitkv.dram;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory.Request;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.MemoryTierContract;

/** The contract of memory tiers, kept by the tier dram. */
class DramTierContractTest extends MemoryTierContract {
  @Override
  protected MemoryTier create(long chunkBytes, Request request, PluginContext context) {
    return new DramTierFactory()
        .create(new DramSettings(new ByteSize(chunkBytes), 2, true), request, context);
  }
}
