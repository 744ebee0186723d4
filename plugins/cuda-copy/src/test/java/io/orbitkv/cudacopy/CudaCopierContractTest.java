package io.orbitkv.cudacopy;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.DeviceCopierContract;
import io.orbitkv.testkit.memory.TestDevice;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterAll;

/** The contract of copiers, kept by cuda-copy over memory in two allocations. */
class CudaCopierContractTest extends DeviceCopierContract {
  private static final FakeCuda CUDA = new FakeCuda();

  @AfterAll
  static void nothingIsLeft() {
    assertThat(CUDA.openMappings()).isZero();
    assertThat(CUDA.registeredRanges()).isZero();
    assertThat(CUDA.liveStreamsAndContexts()).isZero();
    CUDA.close();
  }

  @Override
  protected DeviceCopier createCopier(int queuePlans, PluginContext context) {
    return new CudaCopier(
        CUDA,
        new CudaCopySettings(
            queuePlans,
            16,
            2,
            new ByteSize(64 << 10),
            2,
            Duration.ofMinutes(1),
            8,
            2,
            new ByteSize(1 << 20)),
        context,
        new ProcessEnd(context.log()));
  }

  @Override
  protected TestDevice createDevice(long bytes) {
    long first = bytes / 3 + 1;
    return new FakeGpuMemory(CUDA, List.of(first, bytes - first), List.of());
  }
}
