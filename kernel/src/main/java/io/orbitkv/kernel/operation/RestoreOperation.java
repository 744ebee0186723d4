package io.orbitkv.kernel.operation;

import io.orbitkv.kernel.lease.Lease;

/**
 * A copy of leased pages into a rank's device memory. Exists from its submission to its report.
 *
 * @param session of the rank; may be closed meanwhile
 * @param id of the client
 * @param record of the board, or none
 * @param lease holds pages and bytes
 * @param pages that are copied
 * @param bytes payload
 */
public record RestoreOperation(
    Session session, long id, int record, Lease lease, int[] pages, long bytes)
    implements Operation {}
