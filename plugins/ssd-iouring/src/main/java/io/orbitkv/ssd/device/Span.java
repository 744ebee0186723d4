package io.orbitkv.ssd.device;

/**
 * A piece of native memory that a transfer fills or takes.
 *
 * @param address aligned to {@link Geometry#memoryAlignment}
 * @param bytes a positive multiple of {@link Geometry#blockBytes}
 */
public record Span(long address, long bytes) {}
