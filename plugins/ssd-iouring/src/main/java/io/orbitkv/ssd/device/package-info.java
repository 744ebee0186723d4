/** One file or block device: opened, locked, probed, read and written by blocks. */
package io.orbitkv.ssd.device;
