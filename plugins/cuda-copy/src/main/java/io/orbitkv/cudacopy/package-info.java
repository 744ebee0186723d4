/** Copies between host memory and GPUs. */
package io.orbitkv.cudacopy;
