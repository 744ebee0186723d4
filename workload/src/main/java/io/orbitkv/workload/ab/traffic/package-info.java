/** Experiments on live traffic: what a Manager measured in blocks of time, judged and reported. */
package io.orbitkv.workload.ab.traffic;
