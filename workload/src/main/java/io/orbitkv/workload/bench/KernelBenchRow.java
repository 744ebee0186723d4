package io.orbitkv.workload.bench;

import io.orbitkv.workload.report.Percentiles;

/**
 * Figures at one number of resident pages, after one turnover.
 *
 * @param pages resident
 * @param opsPerSecond queries of 8 pages, each with its acknowledgement and release
 * @param nanosPerPage in queries of 512 pages, release included
 * @param bytesPerOp allocated on the heap by a query of 8 pages, release included
 * @param bytesPerLargeOp the same of 512 pages
 * @param stepMicros times of single steps of queries of 8 pages
 * @param turnoverNanosPerPage one page published and one evicted, page by page
 * @param publishNanosPerPage the same, in publishes of 8 pages
 * @param longestPauseMillis of the collector, filling included
 */
public record KernelBenchRow(
    int pages,
    double opsPerSecond,
    double nanosPerPage,
    double bytesPerOp,
    double bytesPerLargeOp,
    Percentiles stepMicros,
    double turnoverNanosPerPage,
    double publishNanosPerPage,
    double longestPauseMillis) {}
