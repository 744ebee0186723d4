/**
 * How the Manager comes up and goes down: the order of things, what is undone when one fails,
 * signals, the log.
 */
package io.orbitkv.manager.boot;
