/** Reports on experiments: JSON, CSV, a table and one self-contained page. */
package io.orbitkv.workload.ab.report;
