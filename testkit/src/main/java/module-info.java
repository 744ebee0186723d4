/**
 * For authors of plugins: contract tests of tiers, copiers and policies, a plugin context with a
 * clock that stands still, a tester that asks one policy or lets it meet a whole trace, page
 * contents that betray every wrong byte, and simulated tiers and copiers.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.testkit {
  requires static org.jspecify;
  requires com.sun.jna;
  requires transitive io.orbitkv.api;
  requires transitive io.orbitkv.model;
  requires transitive org.assertj.core;
  requires transitive org.junit.jupiter.api;

  exports io.orbitkv.testkit;
  exports io.orbitkv.testkit.memory;
  exports io.orbitkv.testkit.pattern;
  exports io.orbitkv.testkit.policy;
  exports io.orbitkv.testkit.simulation;
}
