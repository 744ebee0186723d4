package io.orbitkv.cudacopy;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.copy.DeviceCopierFactory;
import java.util.List;

/** Entry of the plugin {@code cuda-copy}. */
public final class CudaCopyPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public CudaCopyPlugin() {}

  @Override
  public List<DeviceCopierFactory<?>> deviceCopiers() {
    return List.of(new CudaCopierFactory());
  }
}
