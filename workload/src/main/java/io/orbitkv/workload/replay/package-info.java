/** Replays a trace against a running Manager as an engine would, and says what came of it. */
package io.orbitkv.workload.replay;
