package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.testkit.BackingTierContract;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;

/** The same when it keeps its pages in a file. */
class KeptBackingTierContractTest extends BackingTierContract {
  @TempDir private Path folder = Path.of("");

  @Override
  protected BackingTier create(long capacityBytes, List<HostChunk> chunks, PluginContext context) {
    return new DeterministicBackingTier(
        capacityBytes, 16, BackingScript.SUCCEED, context.threads(), folder.resolve("pages"));
  }

  @Override
  protected boolean isPersistent() {
    return true;
  }
}
