/**
 * The plugin {@code fault-points}, for tests of the real Manager alone: backing tiers and a copier
 * whose work waits or fails where the files of a folder say so.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.faults {
  requires static org.jspecify;
  requires com.sun.jna;
  requires io.orbitkv.api;
  // In the plugin's own jar when it is loaded: a plugin may require none of them.
  requires static io.orbitkv.hostcopy;
  requires static io.orbitkv.ssd;
  requires static io.orbitkv.testkit;

  provides io.orbitkv.api.OrbitKvPlugin with
      io.orbitkv.faults.FaultPointsPlugin;
}
