package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.QueuedRequest;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What the mailbox of the dispatcher carries. */
sealed interface Work {
  /** An event for the kernel. */
  record Step(Event event) implements Work {}

  /** A session was let in. Comes before every event of the session. */
  record Opened(SessionPort session) implements Work {}

  /** Somebody wants to see the kernel's state. */
  record Inspect(CompletableFuture<DispatcherPicture> answer) implements Work {}

  /** Somebody wants the deep check of all invariants, which ends the process when one is broken. */
  record Verify(CompletableFuture<@Nullable Void> answer) implements Work {}

  /**
   * Something changes on the dispatcher, and the kernel hears of it before anything else happens.
   */
  record Change(Supplier<Optional<Event>> change, CompletableFuture<@Nullable Void> answer)
      implements Work {}

  /** Somebody waits until nothing is under way. */
  record Settle(Settling.Wait waiting) implements Work {}

  /** Bytes of the keys and pages that it carries; 0 for what is small. */
  static long arrayBytes(Work work) {
    if (!(work instanceof Step(Event event))) {
      return 0;
    }
    if (event instanceof Event.Submit submit) {
      return bytes(submit.keys()) + bytes(submit.groups()) + bytes(submit.pagesOfGroup());
    }
    if (event instanceof Event.Publish publish) {
      return bytes(publish.keys()) + bytes(publish.devicePages());
    }
    if (event instanceof Event.Queue queue) {
      long all = 0;
      for (QueuedRequest change : queue.changes()) {
        all += bytes(change.keys()) + bytes(change.groups()) + bytes(change.pagesOfGroup());
      }
      return all;
    }
    return event instanceof Event.Restore restore ? bytes(restore.devicePages()) : 0;
  }

  private static long bytes(long[] values) {
    return (long) values.length * Long.BYTES;
  }

  private static long bytes(int[] values) {
    return (long) values.length * Integer.BYTES;
  }
}
