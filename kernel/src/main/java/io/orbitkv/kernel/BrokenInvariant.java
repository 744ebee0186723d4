package io.orbitkv.kernel;

/**
 * Thrown by {@code Kernel.step} when the kernel's books no longer agree. Going on would mean wrong
 * bytes, so the Manager ends the process with exit status 70; it never handles this and goes on.
 */
public final class BrokenInvariant extends Error {
  private static final long serialVersionUID = 1L;

  /**
   * @param invariant what must hold and does not, with the values seen
   */
  public BrokenInvariant(String invariant) {
    super(invariant);
  }
}
