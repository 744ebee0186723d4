/** Placeholder. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.manager {
  requires static org.jspecify;
  requires io.orbitkv.api;
  requires io.orbitkv.wire;
  requires io.orbitkv.kernel;
  requires org.pf4j;
  requires com.google.guice;
  requires com.google.common;
  requires org.slf4j;
  requires ch.qos.logback.classic;
  requires tools.jackson.databind;
  requires tools.jackson.dataformat.yaml;
  requires micrometer.core;
  requires com.sun.jna;

  exports io.orbitkv.manager;
}
