package io.orbitkv.api.backing;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.plugin.Finding;
import io.orbitkv.api.plugin.PluginContext;
import java.util.List;
import java.util.Optional;

/**
 * Makes backing tiers of one kind.
 *
 * @param <S> settings, a record whose components carry {@link io.orbitkv.api.settings.Setting}
 */
public interface BackingTierFactory<S extends Record> {
  /** The name in the configuration, for example {@code ssd-iouring}. */
  String name();

  /** The settings record. */
  Class<S> settings();

  /**
   * Boot thread.
   *
   * @param settings parsed and checked
   * @param chunks the arenas that runs will lie in, for fixed buffers
   * @param context the plugin's scope; closed after the tier
   * @throws IllegalStateException saying what is wrong with the path or the device and what to
   *     change
   */
  BackingTier create(S settings, List<HostChunk> chunks, PluginContext context);

  /**
   * Boot thread. Settings of a part of the tier that is used by itself, beside the other parts and
   * never together with the whole: with a place of its own, and its share of the capacity and of
   * what may be written.
   *
   * @param settings of the whole
   * @param part number of the part, from 0; the same part has the same place at each start
   * @param share of the part, above 0 and below 1; the shares of all parts add up to 1
   * @return empty when the tier cannot be divided
   * @throws IllegalStateException when it can, but not with these settings, saying what to change
   */
  default Optional<S> part(S settings, int part, double share) {
    return Optional.empty();
  }

  /**
   * The thread of a command that no Manager waits for; may block. Looks whether a tier with these
   * settings would work here and how well, and leaves everything as it was: it opens no store and
   * keeps no file.
   *
   * @return what was found, in the order in which people read it
   */
  default List<Finding> diagnose(S settings) {
    return List.of();
  }
}
