/** Arenas, the page allocator and the memory tier {@code dram}. */
package io.orbitkv.dram;
