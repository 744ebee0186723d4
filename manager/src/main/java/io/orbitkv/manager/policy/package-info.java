/**
 * Threads for policies. A policy never runs on the dispatcher: it hears of facts and is asked
 * questions through a bounded mailbox, and its advice comes back through another; late, failed or
 * nonsensical advice means the built-in default.
 */
package io.orbitkv.manager.policy;
