package io.orbitkv.kernel;

import io.orbitkv.api.lease.ReservationPhase;
import io.orbitkv.api.memory.MemoryUsage;
import java.util.Map;

/**
 * A picture of the kernel at one moment. Dispatcher makes it; immutable.
 *
 * @param reservedBytes query bytes reserved in total
 * @param reservedPeakBytes the largest value of {@code reservedBytes} since the start
 * @param speculativeBytes of them speculative
 * @param reservedByPhase diagnostic; the phases need not add up during a transition
 * @param budgetBytes the limit
 * @param residentPages findable pages
 * @param residentBytes bytes of their runs
 * @param unsealedPages allocated pages that are not findable (being copied, or waiting for their
 *     commit)
 * @param unsealedBytes bytes of their runs
 * @param orphanBytes runs of pages that left residency while something still refers to them
 * @param quarantinedBytes runs that hardware may still touch after an unknown outcome
 * @param readingPages allocated pages that reads from the backing tier fill
 * @param readingBytes bytes of their runs
 * @param speculatedBytes bytes that were read ahead and neither reached a device nor lost their
 *     last owner
 * @param storedPages pages that the backing tier has
 * @param queuedWrites pages that wait to be written to it
 * @param queuedWriteBytes bytes of their runs
 * @param reads pages in flight from the backing tier
 * @param writes pages in flight to it
 * @param memory the memory tier; its allocated bytes equal resident + unsealed + reading + orphan +
 *     quarantined bytes
 * @param sessions connected
 * @param instances registered
 * @param operations pending queries, restores and publishes
 * @param leases alive
 * @param copies submitted and not reported
 * @param counters by {@link KernelCounter#key()}
 */
public record KernelStatus(
    long reservedBytes,
    long reservedPeakBytes,
    long speculativeBytes,
    Map<ReservationPhase, Long> reservedByPhase,
    long budgetBytes,
    int residentPages,
    long residentBytes,
    int unsealedPages,
    long unsealedBytes,
    long orphanBytes,
    long quarantinedBytes,
    int readingPages,
    long readingBytes,
    long speculatedBytes,
    int storedPages,
    int queuedWrites,
    long queuedWriteBytes,
    int reads,
    int writes,
    MemoryUsage memory,
    int sessions,
    int instances,
    int operations,
    int leases,
    int copies,
    Map<String, Long> counters) {
  /** Allocated bytes that no state accounts for: always 0 unless the kernel is broken. */
  public long leakedBytes() {
    return memory.allocatedBytes()
        - residentBytes
        - unsealedBytes
        - orphanBytes
        - quarantinedBytes
        - readingBytes;
  }
}
