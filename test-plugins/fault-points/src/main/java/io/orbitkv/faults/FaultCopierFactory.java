package io.orbitkv.faults;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceCopierFactory;
import io.orbitkv.api.plugin.PluginContext;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.hostcopy.HostCopyPlugin;
import io.orbitkv.hostcopy.HostCopySettings;
import io.orbitkv.testkit.simulation.BarrierCopier;
import io.orbitkv.testkit.simulation.FileBarriers;
import java.nio.file.Path;

/** Makes the copier {@code fault-copy}: host-copy behind barriers. */
final class FaultCopierFactory implements DeviceCopierFactory<FaultCopySettings> {
  private static final HostCopySettings HOST_COPY =
      new HostCopySettings(0, 256, new ByteSize(4L << 20), 8);

  /** Staged restores of a worker at a time. */
  private static final int STAGE_SLOTS = 2;

  FaultCopierFactory() {}

  @Override
  public String name() {
    return "fault-copy";
  }

  @Override
  public Class<FaultCopySettings> settings() {
    return FaultCopySettings.class;
  }

  @Override
  public DeviceCopier create(FaultCopySettings settings, PluginContext context) {
    return new BarrierCopier(
        hostCopy(new HostCopyPlugin().deviceCopiers().getFirst(), context),
        new FileBarriers(Path.of(settings.directory())),
        context.threads(),
        STAGE_SLOTS);
  }

  private static <S extends Record> DeviceCopier hostCopy(
      DeviceCopierFactory<S> factory, PluginContext context) {
    return factory.create(factory.settings().cast(HOST_COPY), context);
  }
}
