package io.orbitkv.wire;

/** Constants of the protocol. */
public final class Protocol {
  /** The version of frames and messages that this code speaks. */
  public static final int VERSION = 1;

  /** Size of a frame's header in bytes. */
  public static final int HEADER_BYTES = 40;

  /** Largest frame, header included, unless the configuration says otherwise. */
  public static final int DEFAULT_MAX_FRAME_BYTES = 8 << 20;

  /** Most pages in one query, restore or publish, unless the configuration says otherwise. */
  public static final int DEFAULT_MAX_PAGES = 1 << 16;

  /** Longest request id in bytes of UTF-8. */
  public static final int MAX_REQUEST_ID_BYTES = 1024;

  /**
   * Longest text of an answer or a refusal in bytes of UTF-8; a longer one is cut by the sender.
   */
  public static final int MAX_MESSAGE_BYTES = 4096;

  /** Longest name (instance, layer, client, version) in bytes of UTF-8. */
  public static final int MAX_NAME_BYTES = 1024;

  /** Most changes in one queue report. */
  public static final int MAX_QUEUE_CHANGES = 4096;

  private Protocol() {}
}
