/** The plugin {@code comeback}. */
module org.example.comeback {
  requires io.orbitkv.api;

  // Nothing is exported or opened: the Manager opens the settings to itself.
  provides io.orbitkv.api.OrbitKvPlugin with
      org.example.comeback.ComebackPlugin;
}
