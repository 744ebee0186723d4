/** The plugin {@code w-tinylfu}: one policy. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.policy.wtinylfu {
  requires static org.jspecify;
  requires com.github.benmanes.caffeine;
  requires io.orbitkv.api;

  // Nothing is exported: the entry is a provider, and the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.policy.wtinylfu.WTinyLfuPlugin;
}
