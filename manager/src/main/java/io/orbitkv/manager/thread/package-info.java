/** Small pieces for threads and timers that all parts of the daemon use. */
package io.orbitkv.manager.thread;
