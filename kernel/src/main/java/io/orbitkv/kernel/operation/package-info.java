/** Sessions, their operations, and the state machine of queries. */
package io.orbitkv.kernel.operation;
