package io.orbitkv.hostcopy;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.plugin.PluginContext;

/** Makes the copier {@code host-copy}. */
final class HostCopierFactory implements DeviceCopierFactory<HostCopySettings> {
  HostCopierFactory() {}

  @Override
  public String name() {
    return "host-copy";
  }

  @Override
  public Class<HostCopySettings> settings() {
    return HostCopySettings.class;
  }

  @Override
  public DeviceCopier create(HostCopySettings settings, PluginContext context) {
    try {
      Libc.load();
    } catch (LinkageError refused) {
      throw new IllegalStateException(
          "the copier [host-copy] cannot reach the C library through JNA: "
              + refused.getMessage()
              + "; it runs on 64-bit Linux with JNA's library unpacked (jna.boot.library.path) and"
              + " native access granted",
          refused);
    }
    return new HostCopier(settings, context);
  }
}
