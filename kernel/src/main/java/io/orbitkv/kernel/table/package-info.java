/** Primitive collections whose order of iteration depends on their content alone. */
package io.orbitkv.kernel.table;
