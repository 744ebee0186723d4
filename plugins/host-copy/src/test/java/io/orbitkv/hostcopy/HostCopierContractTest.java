package io.orbitkv.hostcopy;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.testkit.DeviceCopierContract;
import io.orbitkv.testkit.memory.SealedMemory;
import io.orbitkv.testkit.memory.TestDevice;

/** The contract of copiers, kept by host-copy. */
class HostCopierContractTest extends DeviceCopierContract {
  @Override
  protected DeviceCopier createCopier(int queuePlans, PluginContext context) {
    return new HostCopierFactory()
        .create(new HostCopySettings(2, queuePlans, new ByteSize(64 << 10), 8), context);
  }

  @Override
  protected TestDevice createDevice(long bytes) {
    return SealedMemory.create(bytes);
  }
}
