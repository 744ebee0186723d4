package io.orbitkv.ssd;

import io.orbitkv.api.backing.BackingTier;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.ssd.device.DeviceSettings.Engine;
import io.orbitkv.testkit.BackingTierContract;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The tier on real files, with each engine, on one path and on two. */
class SsdTierContractTest {
  /** One path and rings. */
  @Nested
  class WithRings extends OnFiles {
    WithRings() {
      super(Engine.IO_URING, 1);
    }
  }

  /** One path and threads. */
  @Nested
  class WithThreads extends OnFiles {
    WithThreads() {
      super(Engine.THREADS, 1);
    }
  }

  /** Two paths. */
  @Nested
  class OnTwoPaths extends OnFiles {
    OnTwoPaths() {
      super(Engine.AUTO, 2);
    }
  }

  /** The kit, over files of the test's own folder. */
  abstract static class OnFiles extends BackingTierContract {
    private final Engine engine;
    private final int paths;
    @TempDir Path folder = Path.of("");

    OnFiles(Engine engine, int paths) {
      this.engine = engine;
      this.paths = paths;
    }

    @Override
    protected BackingTier create(
        long capacityBytes, List<HostChunk> chunks, PluginContext context) {
      // The least that a path needs for segments of its own beside the reserve.
      long needed = paths * Math.max(capacityBytes, 32L << 20);
      return new SsdTierFactory()
          .create(TierFixture.settings(folder, paths, needed, engine), chunks, context);
    }

    @Override
    protected boolean isPersistent() {
      return true;
    }
  }
}
