package io.orbitkv.api.copy;

/**
 * This machine has not what a copier copies with, such as a driver. The Manager goes on with the
 * other copiers of its configuration, as far as there are some.
 */
public final class DeviceUnavailableException extends IllegalStateException {
  private static final long serialVersionUID = 1;

  /**
   * @param message what is missing and what to do about it
   * @param cause what the system said
   */
  public DeviceUnavailableException(String message, Throwable cause) {
    super(message, cause);
  }

  /**
   * @param message what is missing and what to do about it
   */
  public DeviceUnavailableException(String message) {
    super(message);
  }
}
