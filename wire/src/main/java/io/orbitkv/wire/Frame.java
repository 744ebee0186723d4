package io.orbitkv.wire;

import java.nio.ByteBuffer;

/**
 * A frame as it came from the socket.
 *
 * @param header its header
 * @param body little-endian, the JSON part and then the raw part; position 0, limit at the end.
 *     Valid until the next call of {@link FrameReader#next}
 */
public record Frame(FrameHeader header, ByteBuffer body) {}
