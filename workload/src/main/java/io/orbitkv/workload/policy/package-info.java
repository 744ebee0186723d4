/** Policies on whole traces: what they keep of what could be kept. */
package io.orbitkv.workload.policy;
