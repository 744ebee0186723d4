/**
 * Storage behind host memory, such as SSD: reads into runs, writes from sealed runs, eviction
 * notices.
 */
package io.orbitkv.api.backing;
