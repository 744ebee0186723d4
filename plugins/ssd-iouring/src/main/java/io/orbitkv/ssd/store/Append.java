package io.orbitkv.ssd.store;

import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.HostRun;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One record on its way to the log. */
final class Append {
  /** Hears how it ended, once. */
  interface End {
    /** DONE: the record counts, if {@code append} was not forgotten meanwhile. */
    void ended(Append append, BackingStatus status);
  }

  final int page;
  final boolean copy;
  final List<HostRun> runs;
  final int checksum;
  final int blocks;
  final End end;

  /** Null while it waits for a place. */
  @Nullable Segment segment;

  int block;
  long header;
  boolean completed;
  int error;

  /** Somebody evicted the page meanwhile. */
  boolean forgotten;

  Append(int page, boolean copy, List<HostRun> runs, int checksum, int blocks, End end) {
    this.page = page;
    this.copy = copy;
    this.runs = runs;
    this.checksum = checksum;
    this.blocks = blocks;
    this.end = end;
  }
}
