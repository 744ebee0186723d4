/** Copies between host pages and the device memory of engines. */
package io.orbitkv.api.copy;
