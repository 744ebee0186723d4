/** Packs plugins of OrbitKV. Runs inside Maven, on the class path. */
@org.jspecify.annotations.NullMarked
package io.orbitkv.maven;
