package io.orbitkv.testkit;

import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.memory.MemoryTierFactory.Request;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.testkit.simulation.SimulatedMemoryTier;
import java.util.Arrays;
import java.util.function.Function;
import org.junit.jupiter.api.Disabled;

/** The kit over a tier with a planted fault, whose tests are called one by one. */
@Disabled("called by MemoryTierContractTest")
class FaultyTierKit extends MemoryTierContract {
  private final Function<SimulatedMemoryTier, MemoryTier> plant;

  FaultyTierKit(Function<SimulatedMemoryTier, MemoryTier> plant) {
    this.plant = plant;
  }

  @Override
  protected MemoryTier create(long chunkBytes, Request request, PluginContext context) {
    int nodes = request.nodes().size();
    int[] chunksOfNode = new int[nodes];
    Arrays.fill(chunksOfNode, (int) (request.capacityBytes() / nodes / chunkBytes));
    SimulatedMemoryTier tier = new SimulatedMemoryTier(chunkBytes, chunksOfNode);
    tier.chunks().forEach(c -> request.topology().bind(c.address(), c.bytes(), c.numaNode()));
    return plant.apply(tier);
  }
}
