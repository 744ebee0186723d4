/** Measures, guards and verdicts of an experiment. */
package io.orbitkv.workload.ab.verdict;
