/**
 * PF4J, its classes unchanged, as a named module: releases since 3.14.1 carry no descriptor, and a
 * name derived from a file name is no name to depend on.
 *
 * <p>{@code java.compiler} serves PF4J's annotation processor alone, which OrbitKV does not use.
 */
module org.pf4j {
  requires static java.compiler;
  requires transitive org.slf4j;
  requires com.github.zafarkhaja.semver;

  exports org.pf4j;
}
