package io.orbitkv.api.plugin;

/**
 * The version of these contracts, by semantic versioning; a plugin's descriptor names the range
 * that it works with.
 */
public final class ApiVersion {
  /** The version that this module implements. */
  public static final String CURRENT = "0.1.0";

  private ApiVersion() {}
}
