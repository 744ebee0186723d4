/** The benchmark of copies between host memory and a GPU. */
package io.orbitkv.workload.copy;
