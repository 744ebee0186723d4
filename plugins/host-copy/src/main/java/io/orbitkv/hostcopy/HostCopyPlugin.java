package io.orbitkv.hostcopy;

import io.orbitkv.api.OrbitKvPlugin;
import io.orbitkv.api.copy.DeviceCopierFactory;
import java.util.List;

/** Entry of the plugin {@code host-copy}. */
public final class HostCopyPlugin implements OrbitKvPlugin {
  /** Does no work. */
  public HostCopyPlugin() {}

  @Override
  public List<DeviceCopierFactory<?>> deviceCopiers() {
    return List.of(new HostCopierFactory());
  }
}
