/**
 * Compiles the planted bugs: the kernel with one small mistake each, which the simulator must find.
 * Part of the build, not of the distribution.
 */
@org.jspecify.annotations.NullMarked
module io.orbitkv.plantedbugs {
  requires io.github.javadiffutils;
  requires java.compiler;
  requires static org.jspecify;
}
