/**
 * The Manager: the daemon around the kernel, with its plugin host, configuration, sessions and
 * dispatcher.
 */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules of qualified exports are built after this one.
module io.orbitkv.manager {
  // Guice has no descriptor that asks for it.
  requires com.google.common;
  requires com.google.guice;
  requires com.sun.jna;
  requires transitive io.orbitkv.api;
  requires transitive io.orbitkv.kernel;
  // Miniatures of the cache, for shadow policies.
  requires io.orbitkv.model;
  requires io.orbitkv.wire;
  requires jakarta.inject;
  // The log: SLF4J and System.Logger both end there.
  requires java.logging;
  requires java.management;
  // Metrics over HTTP.
  requires jdk.management;
  // Peer credentials of the socket.
  requires jdk.net;
  // Signals, reached by name.
  requires jdk.unsupported;
  requires transitive micrometer.core;
  requires static transitive org.jspecify;
  requires org.pf4j;
  requires org.slf4j;
  requires org.snakeyaml.engine;
  requires tools.jackson.databind;

  exports io.orbitkv.manager to
      io.orbitkv.cli,
      io.orbitkv.client,
      io.orbitkv.workload;
  exports io.orbitkv.manager.config to
      io.orbitkv.cli,
      io.orbitkv.client,
      io.orbitkv.workload;
  exports io.orbitkv.manager.doctor to
      io.orbitkv.cli;
  exports io.orbitkv.manager.environment to
      io.orbitkv.cli,
      io.orbitkv.client,
      io.orbitkv.workload;
  exports io.orbitkv.manager.experiment to
      io.orbitkv.cli,
      io.orbitkv.workload;
  exports io.orbitkv.manager.plugin to
      io.orbitkv.cli;
  exports io.orbitkv.manager.policy to
      io.orbitkv.cli;
  exports io.orbitkv.manager.settings to
      io.orbitkv.cli,
      io.orbitkv.workload;

  // Constructor injection.
  opens io.orbitkv.manager.admin to
      com.google.guice;
  opens io.orbitkv.manager.boot to
      com.google.guice;
  opens io.orbitkv.manager.dispatch to
      com.google.guice;
  opens io.orbitkv.manager.live to
      com.google.guice;
  opens io.orbitkv.manager.metrics to
      com.google.guice;
  opens io.orbitkv.manager.policy to
      com.google.guice;
  opens io.orbitkv.manager.session to
      com.google.guice;
  opens io.orbitkv.manager.thread to
      com.google.guice;

  uses io.orbitkv.api.OrbitKvPlugin;
}
