package io.orbitkv.cuda.handle;

import com.sun.jna.Structure;
import com.sun.jna.Structure.FieldOrder;

/**
 * An interprocess handle as the driver takes it: 64 bytes, by value. A pointer in its place is
 * refused by the driver as an invalid value.
 */
@FieldOrder("reserved")
public final class IpcHandle extends Structure implements Structure.ByValue {
  /** Bytes of a handle. */
  public static final int BYTES = 64;

  /** The bytes; JNA reads the field. */
  public byte[] reserved = new byte[BYTES];

  /** For JNA. */
  public IpcHandle() {}

  /**
   * A copy of the bytes.
   *
   * @throws IllegalArgumentException when there are not 64
   */
  public static IpcHandle of(byte[] bytes) {
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "an interprocess handle has 64 bytes, not [" + bytes.length + "]");
    }
    IpcHandle handle = new IpcHandle();
    System.arraycopy(bytes, 0, handle.reserved, 0, bytes.length);
    return handle;
  }
}
