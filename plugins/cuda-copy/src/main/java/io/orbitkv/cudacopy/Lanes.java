package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyPlan;

/**
 * The lanes of a GPU.
 *
 * @param load host to device
 * @param save device to host
 */
record Lanes(CopyLane load, CopyLane save) {
  CopyLane of(CopyPlan plan) {
    return switch (plan.direction()) {
      case HOST_TO_DEVICE -> load;
      case DEVICE_TO_HOST -> save;
    };
  }
}
