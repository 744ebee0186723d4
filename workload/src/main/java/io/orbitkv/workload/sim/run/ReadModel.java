package io.orbitkv.workload.sim.run;

import io.orbitkv.api.backing.BackingRead;
import org.jspecify.annotations.Nullable;

/** A read in flight. */
final class ReadModel {
  final BackingRead read;
  final long page;

  /** Whether nobody in the foreground waits for it, as far as the store was told. */
  boolean speculative;

  /** Whether the store was emptied since it began. */
  boolean evicted;

  /** What the store had then; null for nothing. */
  long @Nullable [] formerTags;

  ReadModel(BackingRead read, long page) {
    this.read = read;
    this.page = page;
    this.speculative = read.speculative();
  }
}
