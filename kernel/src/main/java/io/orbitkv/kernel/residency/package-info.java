/** What is where: the flat table of pages, its index, and the built-in LRU. */
package io.orbitkv.kernel.residency;
