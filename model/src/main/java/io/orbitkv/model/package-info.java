/**
 * A keys-only model of host memory and a backing tier that hosts real policies inline. Nothing here
 * has a thread of its own: one run belongs to one thread, and equal inputs give equal results.
 */
package io.orbitkv.model;
