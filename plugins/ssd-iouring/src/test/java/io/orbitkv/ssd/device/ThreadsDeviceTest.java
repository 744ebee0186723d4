package io.orbitkv.ssd.device;

/** The contract of devices, kept by the engine threads. */
class ThreadsDeviceTest extends StoreDeviceContract {
  @Override
  DeviceSettings settings() {
    return DeviceSettings.defaults().withEngine(DeviceSettings.Engine.THREADS);
  }

  @Override
  String engine() {
    return "threads";
  }
}
