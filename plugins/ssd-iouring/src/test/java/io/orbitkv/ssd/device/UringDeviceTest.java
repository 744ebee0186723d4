package io.orbitkv.ssd.device;

import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;

/** The contract of devices, kept by the engine io-uring where the system permits it. */
class UringDeviceTest extends StoreDeviceContract {
  @BeforeEach
  @Override
  void open() throws IOException {
    super.open();
  }

  @Override
  void start(DeviceSettings settings) throws IOException {
    assumeThat(DeviceProbe.rings(file, 0)).isEmpty();
    super.start(settings);
  }

  @Override
  DeviceSettings settings() {
    return DeviceSettings.defaults().withEngine(DeviceSettings.Engine.IO_URING);
  }

  @Override
  String engine() {
    return "io-uring";
  }
}
