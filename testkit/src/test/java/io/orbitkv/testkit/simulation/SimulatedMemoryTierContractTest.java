package io.orbitkv.testkit.simulation;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory.Request;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.testkit.MemoryTierContract;
import java.util.Arrays;

/** The simulated tier keeps the contract of real ones. */
class SimulatedMemoryTierContractTest extends MemoryTierContract {
  @Override
  protected MemoryTier create(long chunkBytes, Request request, PluginContext context) {
    int nodes = request.nodes().size();
    int[] chunksOfNode = new int[nodes];
    Arrays.fill(chunksOfNode, (int) (request.capacityBytes() / nodes / chunkBytes));
    SimulatedMemoryTier tier = new SimulatedMemoryTier(chunkBytes, chunksOfNode);
    tier.chunks().forEach(c -> request.topology().bind(c.address(), c.bytes(), c.numaNode()));
    return tier;
  }

  @Override
  protected boolean hasBytes() {
    return false;
  }

  @Override
  protected boolean hasThreads() {
    return false;
  }
}
