package io.orbitkv.ssd.device;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Keeps the completions of a device, and lets a test wait for them. */
final class RecordedCompletions implements StoreDevice.Completions {
  private static final long PATIENCE_SECONDS = 60;

  private final List<TransferScheduler.Ended> all = new ArrayList<>();

  RecordedCompletions() {}

  @Override
  public synchronized void completed(Transfer transfer, int error) {
    all.add(new TransferScheduler.Ended(transfer, error));
    notifyAll();
  }

  /** All completions so far, in order. */
  synchronized List<TransferScheduler.Ended> all() {
    return List.copyOf(all);
  }

  /** Returns once there are so many. */
  synchronized void await(int number) throws InterruptedException {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (all.size() < number) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("[" + all.size() + "] completions, not [" + number + "]");
      }
      wait(left);
    }
  }

  /** The error of a transfer that has completed. */
  synchronized int errorOf(Transfer transfer) {
    return all.stream().filter(end -> end.transfer() == transfer).findFirst().orElseThrow().error();
  }
}
