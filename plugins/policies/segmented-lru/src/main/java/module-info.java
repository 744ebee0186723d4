/** The plugin {@code segmented-lru}: one policy. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.policy.segmentedlru {
  requires static org.jspecify;
  requires io.orbitkv.api;

  // Nothing is exported: the entry is a provider, and the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.policy.segmentedlru.SegmentedLruPlugin;
}
