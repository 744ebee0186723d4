package io.orbitkv.manager.plugin;

/** Where a loaded plugin stands. */
public enum PluginStatus {
  /** Its scope is open and its capabilities are offered. */
  STARTED,
  /** Its scope is closed; it can be started again. */
  STOPPED,
  /** It was loaded, stopped, and did not start again. */
  FAILED
}
