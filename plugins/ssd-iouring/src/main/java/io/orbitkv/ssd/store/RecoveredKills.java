package io.orbitkv.ssd.store;

/**
 * What a recovery found in the kill log.
 *
 * @param generation that counts
 * @param newestGeneration of any block that was found
 * @param blocks of the generation that counts
 * @param compacted blocks at its start that were taken over
 * @param former blocks of the generation before it
 * @param isRagged whether blocks were found that nobody waited for: all has to be written anew
 * @param hasHole whether blocks are missing that were durable: dead records cannot be told
 */
record RecoveredKills(
    long generation,
    long newestGeneration,
    int blocks,
    int compacted,
    int former,
    boolean isRagged,
    boolean hasHole) {}
