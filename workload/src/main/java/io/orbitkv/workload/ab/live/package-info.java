/** Experiments on a running Manager: pairs of whole runs of one trace, one for each variant. */
package io.orbitkv.workload.ab.live;
