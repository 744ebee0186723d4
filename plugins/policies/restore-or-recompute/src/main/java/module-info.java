/** The plugin {@code restore-or-recompute}: one policy. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.policy.restoreorrecompute {
  requires static org.jspecify;
  requires io.orbitkv.api;

  // Nothing is exported: the entry is a provider, and the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.policy.restoreorrecompute.RestoreOrRecomputePlugin;
}
