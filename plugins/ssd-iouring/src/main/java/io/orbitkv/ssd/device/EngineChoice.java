package io.orbitkv.ssd.device;

/**
 * Which engine drives a device, and why: for the log, the gauge and {@code doctor}.
 *
 * @param engine {@code io-uring} or {@code threads}
 * @param fallback whether it is not the one that would be best
 * @param reason one clause: that it was asked for, that its probe worked, or what the system
 *     refused and what would change that
 * @param fixedBuffers whether arenas are registered with the rings as they are first used
 * @param notes what else is worth saying, one sentence; empty for nothing
 */
public record EngineChoice(
    String engine, boolean fallback, String reason, boolean fixedBuffers, String notes) {}
