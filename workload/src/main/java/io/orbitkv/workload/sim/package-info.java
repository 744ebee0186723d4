/**
 * The deterministic simulator: the production kernel among simulated memory, devices, stores,
 * engines and policies, checked after each step.
 */
package io.orbitkv.workload.sim;
