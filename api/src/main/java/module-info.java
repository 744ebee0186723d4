/**
 * The contracts between the OrbitKV Manager and its plugins: page identity, memory and backing
 * tiers, device copiers, policies and their settings. Depends on {@code java.base} alone and is
 * semantically versioned by {@link io.orbitkv.api.plugin.ApiVersion}.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.api {
  // Compile-time annotations only: nothing of jspecify is needed at run time.
  requires static transitive org.jspecify;

  exports io.orbitkv.api;
  exports io.orbitkv.api.backing;
  exports io.orbitkv.api.copy;
  exports io.orbitkv.api.lease;
  exports io.orbitkv.api.memory;
  exports io.orbitkv.api.page;
  exports io.orbitkv.api.plugin;
  exports io.orbitkv.api.policy;
  exports io.orbitkv.api.query;
  exports io.orbitkv.api.recovery;
  exports io.orbitkv.api.settings;
}
