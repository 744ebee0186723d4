package io.orbitkv.manager.config;

import io.orbitkv.manager.settings.ConfigException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where a configuration came from, to read it again.
 *
 * @param file the configuration file; null for none
 * @param flags what the command line set, by key
 * @param facts what values are derived from
 */
public record ConfigSource(@Nullable Path file, Map<String, FlagValue> flags, HostFacts facts) {
  /** Copies the flags. */
  public ConfigSource {
    flags = Map.copyOf(flags);
  }

  /**
   * Reads it again.
   *
   * @throws ConfigException with everything that is wrong
   */
  public ManagerConfig read() {
    return ManagerConfig.load(file, flags, facts);
  }
}
