package io.orbitkv.manager.config;

/**
 * A flag that sets a key of the configuration.
 *
 * @param name such as {@code --pool-size}
 * @param key which key it sets
 * @param repeatable whether each further use adds to a list
 * @param unit appended to its value, which is a whole number then; empty for none
 */
public record ConfigFlag(String name, String key, boolean repeatable, String unit) {}
