/** Engine instances: their ranks, geometry and device memory. */
package io.orbitkv.kernel.instance;
