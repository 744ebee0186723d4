/**
 * The Manager: the daemon around the kernel, with its plugin host, configuration, sessions and
 * dispatcher.
 */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules of qualified exports are built after this one.
module io.orbitkv.manager {
  requires transitive io.orbitkv.api;
  requires io.orbitkv.kernel;
  requires java.management;
  requires jdk.management;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;
  requires org.pf4j;
  requires org.slf4j;
  requires org.snakeyaml.engine;
  requires tools.jackson.databind;

  exports io.orbitkv.manager.config to
      io.orbitkv.cli;
  exports io.orbitkv.manager.plugin to
      io.orbitkv.cli;
  exports io.orbitkv.manager.settings to
      io.orbitkv.cli;

  uses io.orbitkv.api.plugin.OrbitKvPlugin;
}
