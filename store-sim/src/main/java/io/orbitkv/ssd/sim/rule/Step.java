package io.orbitkv.ssd.sim.rule;

import java.util.Locale;

/** What the store is doing to the device when a crash interrupts it. */
public enum Step {
  /** The header that opens a segment for a new pass. */
  SEGMENT_HEADER,
  /** The header block of a page. */
  RECORD_HEADER,
  /** The payload of a page. */
  RECORD_PAYLOAD,
  /** The index at the end of a segment. */
  FOOTER,
  /** One of the two superblocks. */
  SUPERBLOCK,
  /** An entry for a copy that must not come back, while nobody waits for an eviction. */
  KILL_LOG,
  /** An entry or a flush that an eviction waits for. */
  EVICTION,
  /** A page of a victim is read, to be moved. */
  REINSERTION_READ,
  /** The header block of a page that is moved. */
  REINSERTION_HEADER,
  /** The payload of a page that is moved. */
  REINSERTION_PAYLOAD,
  /** A flush that no eviction waits for. */
  SYNC,
  /** A read that somebody asked for. */
  PAGE_READ,
  /** Nothing. */
  IDLE,
  /** A write of the first opening. */
  FORMAT_WRITE,
  /** A flush of the first opening. */
  FORMAT_SYNC,
  /** Recovery reads a superblock. */
  RECOVERY_READ_SUPERBLOCK,
  /** Recovery reads the log of evictions. */
  RECOVERY_READ_KILL_LOG,
  /** Recovery reads a segment's header. */
  RECOVERY_READ_SEGMENT_HEADER,
  /** Recovery reads inside a segment: footer, or the headers of pages. */
  RECOVERY_READ_SEGMENT,
  /** Recovery empties a segment. */
  RECOVERY_SEGMENT_HEADER,
  /** Recovery writes inside a segment: the footer that seals what was walked. */
  RECOVERY_FOOTER,
  /** Recovery writes the log of evictions. */
  RECOVERY_KILL_LOG,
  /** Recovery writes a superblock. */
  RECOVERY_SUPERBLOCK,
  /** Recovery flushes. */
  RECOVERY_SYNC,
  /** A clean stop writes the footer of the open segment. */
  CLOSE_FOOTER,
  /** A clean stop writes a superblock. */
  CLOSE_SUPERBLOCK,
  /** A clean stop flushes. */
  CLOSE_SYNC;

  /** Its name in reports. */
  public String key() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }
}
