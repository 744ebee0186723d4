/** A Manager as a child process of a command that needs one of its own. */
package io.orbitkv.workload.process;
