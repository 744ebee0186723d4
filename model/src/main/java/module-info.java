/**
 * A keys-only model of the cache: host memory and a backing tier as columns of pages, with real
 * policies called inline. Answers in a second what a policy would have kept of a whole trace.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.model {
  requires transitive io.orbitkv.api;
  requires static transitive org.jspecify;

  exports io.orbitkv.model;
}
