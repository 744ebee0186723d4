package io.orbitkv.manager.plugin;

/**
 * Who a plugin is.
 *
 * @param id its id
 * @param version its version
 * @param digest SHA-256 of its zip, or of its folder's files, in hexadecimal digits
 */
public record PluginIdentity(String id, String version, String digest) {}
