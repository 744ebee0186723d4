/** Request traces: reading, generating, and the page keys that they stand for. */
package io.orbitkv.workload.trace;
