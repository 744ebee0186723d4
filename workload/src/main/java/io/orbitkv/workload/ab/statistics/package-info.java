/**
 * What a verdict rests on: Student t on paired runs, the block bootstrap of simulated requests,
 * power, and the correction for many measures. Pure functions of their arguments and a seed.
 */
package io.orbitkv.workload.ab.statistics;
