package io.orbitkv.ssd.sim.disk;

import io.orbitkv.ssd.device.Span;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Copies between arrays and the native memory that transfers name by address. */
public final class NativeBytes {
  @SuppressWarnings("restricted") // Transfers name memory by address.
  private static final MemorySegment ALL = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private NativeBytes() {}

  /** From memory. */
  public static void get(long address, byte[] into, int at, int bytes) {
    MemorySegment.copy(ALL, ValueLayout.JAVA_BYTE, address, into, at, bytes);
  }

  /** Into memory. */
  public static void put(long address, byte[] from, int at, int bytes) {
    MemorySegment.copy(from, at, ALL, ValueLayout.JAVA_BYTE, address, bytes);
  }

  /** Fills memory with one value. */
  public static void fill(long address, long bytes, byte value) {
    ALL.asSlice(address, bytes).fill(value);
  }

  /** The bytes of spans, one after the other. */
  static byte[] gather(Iterable<Span> spans, long bytes) {
    byte[] all = new byte[Math.toIntExact(bytes)];
    int at = 0;
    for (Span span : spans) {
      get(span.address(), all, at, (int) span.bytes());
      at += (int) span.bytes();
    }
    return all;
  }

  /** Spreads an array over spans, as far as it goes. */
  static void scatter(Iterable<Span> spans, byte[] from, int bytes) {
    int at = 0;
    for (Span span : spans) {
      int part = Math.min((int) span.bytes(), bytes - at);
      if (part <= 0) {
        return;
      }
      put(span.address(), from, at, part);
      at += part;
    }
  }
}
