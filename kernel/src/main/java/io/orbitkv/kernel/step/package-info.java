/** What the handlers of one step share: the time, the outbox, the counters. */
package io.orbitkv.kernel.step;
