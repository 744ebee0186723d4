package io.orbitkv.cuda;

import java.util.Set;

/** The driver refused a call, or reports by it that earlier work failed. */
public final class CudaException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /** Out of device memory. */
  public static final int OUT_OF_MEMORY = 2;

  /** No usable device. */
  public static final int NO_DEVICE = 100;

  /** Work before an event is not done; never thrown. */
  public static final int NOT_READY = 600;

  /** After one of these the context answers every call with the same. */
  private static final Set<Integer> STICKY =
      Set.of(46, 214, 220, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 999);

  private final int code;

  /**
   * @param call of the driver
   * @param code that it returned
   * @param name of the code, as the driver gives it
   */
  public CudaException(String call, int code, String name) {
    super(call + " failed: " + name + " (error " + code + ")" + remedy(code));
    this.code = code;
  }

  /** The driver's error code. */
  public int code() {
    return code;
  }

  /** Whether the context is lost: each later call in it fails. */
  public boolean isSticky() {
    return STICKY.contains(code);
  }

  private static String remedy(int code) {
    return switch (code) {
      case OUT_OF_MEMORY ->
          "; leave some 600 MiB of the GPU to the Manager: lower the engine's share of its memory";
      case 1 ->
          "; memory of cuMemCreate (expandable segments, sleep mode) has no legacy handle, and a"
              + " handle is of use in other processes alone";
      case NO_DEVICE -> "; check nvidia-smi and CUDA_VISIBLE_DEVICES";
      case 205, 208 -> "; the range is registered already or belongs to another process";
      case 46, 214, 220 -> "; the GPU needs attention: see dmesg for Xid messages";
      case 801 -> "; this GPU, or the way it is partitioned (MIG), does not allow it";
      default -> "";
    };
  }
}
