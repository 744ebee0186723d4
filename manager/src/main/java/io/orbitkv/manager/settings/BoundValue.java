package io.orbitkv.manager.settings;

/**
 * The value that a setting got.
 *
 * @param info the setting
 * @param text the value in canonical form, such as {@code 4gb}
 * @param origin where it comes from
 */
public record BoundValue(SettingInfo info, String text, Origin origin) {}
