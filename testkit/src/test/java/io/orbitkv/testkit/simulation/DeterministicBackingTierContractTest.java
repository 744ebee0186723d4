package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.testkit.BackingTierContract;
import java.util.List;

/** The tier of the tests keeps the contract of real ones. */
class DeterministicBackingTierContractTest extends BackingTierContract {
  @Override
  protected BackingTier create(long capacityBytes, List<HostChunk> chunks, PluginContext context) {
    return new DeterministicBackingTier(
        capacityBytes, 16, BackingScript.SUCCEED, context.threads());
  }
}
