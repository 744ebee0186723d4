package io.orbitkv.ssd;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.ssd.device.DeviceSettings.Engine;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;

/** Settings for tests. */
final class TierFixture {
  private TierFixture() {}

  static SsdSettings settings(Path folder, int paths, long capacityBytes, Engine engine) {
    List<String> files =
        IntStream.range(0, paths).mapToObj(i -> folder.resolve("store-" + i).toString()).toList();
    SsdSettings defaults = SsdSettings.of(files, new ByteSize(capacityBytes));
    return defaults.with(engine, direct(folder));
  }

  /** Folders for temporary files may lie in memory; the tests run either way. */
  private static SsdSettings.Direct direct(Path folder) {
    try {
      String type = Files.getFileStore(folder).type();
      return List.of("tmpfs", "ramfs", "overlay").contains(type)
          ? SsdSettings.Direct.OFF
          : SsdSettings.Direct.ON;
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }
}
