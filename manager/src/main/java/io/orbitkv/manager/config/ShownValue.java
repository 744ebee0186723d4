package io.orbitkv.manager.config;

import io.orbitkv.manager.settings.Origin;

/**
 * One value of the configuration as {@code config show} prints it.
 *
 * @param key full key
 * @param value as written, in canonical form
 * @param origin where it comes from
 * @param effective what it means on this machine; the same as {@code value} when nothing is derived
 * @param reason why, when something is derived; otherwise empty
 */
public record ShownValue(
    String key, String value, Origin origin, String effective, String reason) {}
