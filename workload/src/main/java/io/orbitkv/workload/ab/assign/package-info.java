/** Which request belongs to which arm of an experiment. */
package io.orbitkv.workload.ab.assign;
