package io.orbitkv.ssd;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.ssd.device.DeviceSettings.Engine;
import io.orbitkv.ssd.device.DeviceSettings.FixedBuffers;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Settings for tests. */
final class TierFixture {
  private static final ByteSize NONE = new ByteSize(0);
  private static final ByteSize MEBIBYTE = new ByteSize(1 << 20);

  private TierFixture() {}

  static SsdSettings settings(Path folder, int paths, long capacityBytes, Engine engine) {
    List<String> files =
        IntStream.range(0, paths).mapToObj(i -> folder.resolve("store-" + i).toString()).toList();
    return new SsdSettings(
        files,
        new ByteSize(capacityBytes),
        engine,
        SsdSettings.Direct.ON,
        FixedBuffers.AUTO,
        NONE,
        2,
        25,
        NONE,
        20,
        new ByteSize(16 << 20),
        new ByteSize(16 << 20),
        MEBIBYTE,
        4096,
        2,
        false);
  }
}
