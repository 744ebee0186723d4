/**
 * What is measured, in one Micrometer registry that the plugins share, and how it is exported: over
 * the Manager's socket and, where configured, as Prometheus text over HTTP.
 */
package io.orbitkv.manager.metrics;
