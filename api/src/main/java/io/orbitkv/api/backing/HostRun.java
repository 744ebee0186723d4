package io.orbitkv.api.backing;

/**
 * A contiguous, 4 KiB-aligned run of host memory inside one chunk.
 *
 * @param address native address
 * @param payloadBytes bytes that carry payload
 * @param runBytes bytes of the run, a multiple of 4 KiB
 */
public record HostRun(long address, long payloadBytes, long runBytes) {}
