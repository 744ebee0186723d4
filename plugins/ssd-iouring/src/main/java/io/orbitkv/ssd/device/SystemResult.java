package io.orbitkv.ssd.device;

/** What a call to the system gave: a value, or an error number. */
sealed interface SystemResult<T> {
  /** It worked. */
  record Done<T>(T value) implements SystemResult<T> {}

  /** It did not. */
  record Refused<T>(int error) implements SystemResult<T> {}
}
