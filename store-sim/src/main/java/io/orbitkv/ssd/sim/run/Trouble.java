package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.ssd.device.StoreDevice;

/** What a read must end with when its transfer failed. */
final class Trouble {
  private Trouble() {}

  /** The status that names the cause. */
  static BackingStatus of(int error) {
    return switch (error) {
      case 0 -> BackingStatus.DONE;
      case StoreDevice.SHORT -> BackingStatus.SHORT;
      case StoreDevice.UNKNOWN -> BackingStatus.UNKNOWN;
      default -> BackingStatus.DEVICE_ERROR;
    };
  }
}
