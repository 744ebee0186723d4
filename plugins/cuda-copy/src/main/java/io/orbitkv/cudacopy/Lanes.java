package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyPlan;

/**
 * The lanes of a GPU.
 *
 * @param load host to device
 * @param save device to host
 * @param stage host to device, of plans that are submitted as a whole; the one that loads when
 *     there are none
 */
record Lanes(CopyLane load, CopyLane save, CopyLane stage) {
  CopyLane of(CopyPlan plan) {
    return switch (plan.direction()) {
      case HOST_TO_DEVICE -> plan.isStaged() ? stage : load;
      case DEVICE_TO_HOST -> save;
    };
  }
}
