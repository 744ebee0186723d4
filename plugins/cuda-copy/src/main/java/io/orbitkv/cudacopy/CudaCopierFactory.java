package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.copy.DeviceUnavailableException;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.cuda.CudaDriver;
import io.orbitkv.cuda.CudaUnavailableException;

/** Makes the copier {@code cuda-copy}. */
final class CudaCopierFactory implements DeviceCopierFactory<CudaCopySettings> {
  CudaCopierFactory() {}

  @Override
  public String name() {
    return "cuda-copy";
  }

  @Override
  public Class<CudaCopySettings> settings() {
    return CudaCopySettings.class;
  }

  @Override
  public DeviceCopier create(CudaCopySettings settings, PluginContext context) {
    try {
      return new CudaCopier(CudaDriver.load(), settings, context, new ProcessEnd(context.log()));
    } catch (CudaUnavailableException missing) {
      throw new DeviceUnavailableException(
          "the copier [cuda-copy] is not available: " + missing.getMessage(), missing);
    }
  }
}
