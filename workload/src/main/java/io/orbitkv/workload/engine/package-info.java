/**
 * The model of an engine: device memory, its own page cache, and the bytes in the pages. Not
 * exported.
 */
package io.orbitkv.workload.engine;
