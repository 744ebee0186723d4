package io.orbitkv.manager.config;

import io.orbitkv.api.settings.Setting;

/**
 * Logging.
 *
 * @param level what is logged
 */
public record LogSection(
    @Setting(def = "info", doc = "least important messages that are logged") Level level) {
  /** Levels, the most important first. */
  public enum Level {
    /** Failures alone. */
    ERROR,
    /** And what should be looked at. */
    WARN,
    /** And what happens. */
    INFO,
    /** And details. */
    DEBUG,
    /** And everything. */
    TRACE
  }
}
