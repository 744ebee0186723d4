package io.orbitkv.cuda;

/** This machine has no CUDA driver that can be used; the message says what to do. */
public final class CudaUnavailableException extends Exception {
  private static final long serialVersionUID = 1;

  /**
   * @param message what is missing and what to do about it
   * @param cause what the system said
   */
  public CudaUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }
}
