package io.orbitkv.workload.bench;

import io.orbitkv.workload.report.Percentiles;

/**
 * One run, in milliseconds.
 *
 * @param delivery from the write of an offer to the arrival of its acknowledgement, as the Manager
 *     measured it
 * @param answer from a query's submission to the sight of its answer, as the client measured it
 * @param queriesPerSecond answered and released
 * @param boardInUse whether answers came on the status board
 */
public record DeliveryRun(
    Percentiles delivery, Percentiles answer, double queriesPerSecond, boolean boardInUse) {}
