/** The NUMA nodes of the machine and the binding of memory to them. */
package io.orbitkv.manager.numa;
