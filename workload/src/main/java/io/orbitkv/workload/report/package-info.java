/** Percentiles, tables and JSON, as results are printed. */
package io.orbitkv.workload.report;
