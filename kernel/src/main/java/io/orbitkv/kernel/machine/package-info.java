/**
 * The kernel itself. It stands above the packages of its parts and beside its vocabulary in {@link
 * io.orbitkv.kernel}, so that no two packages need each other.
 */
package io.orbitkv.kernel.machine;
