package io.orbitkv.ssd.sim.run;

import io.orbitkv.api.backing.HostRun;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An operation that the store has taken and not reported. */
final class Op {
  /** What is asked for. */
  enum Kind {
    READ,
    WRITE,
    EVICT,
    DROP,
    FLUSH
  }

  final Kind kind;
  final long ticket;
  final long startedNanos;

  /** Of a read, a write, an eviction. */
  @Nullable PageLog page;

  /** Of a write. */
  @Nullable Version version;

  List<HostRun> runs = List.of();

  /** Of a read, as of its submission. */
  boolean foundAtStart;

  int leastAtStart;
  int goneAtStart;
  int changesAtStart;
  boolean goingAtStart;
  boolean provenAtStart;
  int requiredAtStart = PageLog.NO_VERSION;

  /** Transfers that carry its runs and have not completed. */
  int flying;

  /** Such transfers that have completed well. */
  int landed;

  /** The first error of such a transfer. */
  int error;

  /** Where its page was written: the offset of its first run. */
  long offset = -1;

  /** Of an eviction or a drop: pages with the number of versions that go. */
  List<Going> going = List.of();

  /** Of a flush: what it makes durable. */
  List<Version> covered = List.of();

  List<PageLog> promised = List.of();

  /** Versions below the number go. */
  record Going(PageLog page, int below) {}

  Op(Kind kind, long ticket, long startedNanos) {
    this.kind = kind;
    this.ticket = ticket;
    this.startedNanos = startedNanos;
  }

  PageLog pageOf() {
    if (page == null) {
      throw new IllegalStateException(kind + " has no page");
    }
    return page;
  }

  Version versionOf() {
    if (version == null) {
      throw new IllegalStateException(kind + " has no version");
    }
    return version;
  }

  @Override
  public String toString() {
    return kind + " " + ticket + (page == null ? "" : " of page " + page);
  }
}
