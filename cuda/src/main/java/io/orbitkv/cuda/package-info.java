/** The CUDA driver API, as far as it is used. */
package io.orbitkv.cuda;
