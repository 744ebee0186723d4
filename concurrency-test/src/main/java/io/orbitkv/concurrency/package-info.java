/** Runs real threads against each other, again and again. */
@org.jspecify.annotations.NullMarked
package io.orbitkv.concurrency;
