/** The copier {@code host-copy}. */
package io.orbitkv.hostcopy;
