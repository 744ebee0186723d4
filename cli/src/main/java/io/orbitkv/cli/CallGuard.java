package io.orbitkv.cli;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;

/**
 * Work that calls a policy of somebody else, on a thread of its own: a call that does not return
 * ends the command and not its patience.
 */
final class CallGuard {
  private static final Duration LOOK = Duration.ofMillis(250);
  private static final Duration LONGEST_CALL = Duration.ofSeconds(10);

  private CallGuard() {}

  /**
   * Does the work.
   *
   * @param callNanos how long the call under way has taken
   * @param hangs the message when a call does not return
   * @throws CommandException when one does not
   */
  static <T> T run(Callable<T> work, LongSupplier callNanos, Callable<String> hangs)
      throws Exception {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().name("orbitkv-policy-trial").daemon(true).start(task);
    while (true) {
      try {
        return task.get(LOOK.toMillis(), TimeUnit.MILLISECONDS);
      } catch (TimeoutException running) {
        if (callNanos.getAsLong() > LONGEST_CALL.toNanos()) {
          throw CommandException.failure(hangs.call(), running);
        }
      } catch (ExecutionException failed) {
        if (failed.getCause() instanceof Exception problem) {
          throw problem;
        }
        throw failed;
      }
    }
  }
}
