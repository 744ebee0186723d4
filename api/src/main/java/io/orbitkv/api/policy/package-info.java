/**
 * Policies: what each slot is asked, what it sees, and what it may answer. A policy runs on a
 * thread of its own, never on the dispatcher; late, failed or nonsensical advice costs a counter
 * and means the built-in default. Unknown quantities have a name of their own ({@link
 * io.orbitkv.api.policy.Facts#UNKNOWN}), never 0.
 */
package io.orbitkv.api.policy;
