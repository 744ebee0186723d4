package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.KernelStatus;
import java.util.List;

/**
 * What the dispatcher knows at one moment. Immutable.
 *
 * @param kernel the kernel's picture
 * @param copiers in the order of the configuration
 */
public record DispatcherPicture(KernelStatus kernel, List<CopierFigures> copiers) {
  /** Copies the list. */
  public DispatcherPicture {
    copiers = List.copyOf(copiers);
  }
}
