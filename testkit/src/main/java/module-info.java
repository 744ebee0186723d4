/** Placeholder. */
@org.jspecify.annotations.NullMarked
module io.orbitkv.testkit {
  requires static org.jspecify;
  requires io.orbitkv.api;
  requires org.junit.jupiter.api;
  requires org.assertj.core;

  exports io.orbitkv.testkit;
}
