package io.orbitkv.manager.dispatch;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Looks through interleavings of a few operations, step by step, for one whose results no order of
 * the operations explains. A consumer that finds nothing looks again while places are claimed, as
 * the dispatcher does: by itself, a poll may miss a message behind one that is still being put in.
 *
 * <p>Lincheck rewrites classes for half a minute before it begins: not in the plain build.
 */
@Tag("full")
@Timeout(600)
@Param(name = "message", gen = IntGen.class, conf = "1:9")
public class MailboxModelTest {
  private static final int CAPACITY = 2;

  private final Mailbox<Integer> mailbox = new Mailbox<>(CAPACITY, new Parker());

  @Operation
  public boolean offer(@Param(name = "message") int message) {
    return mailbox.offer(message);
  }

  @Operation(nonParallelGroup = "consumer")
  public @Nullable Integer take() {
    while (true) {
      Integer message = mailbox.poll();
      if (message != null || mailbox.size() == 0) {
        return message;
      }
      Thread.onSpinWait();
    }
  }

  @Operation(nonParallelGroup = "consumer")
  public int size() {
    return mailbox.size();
  }

  @Operation
  public void close() {
    mailbox.close();
  }

  @Test
  void mailbox_ofManyProducersAndOneConsumer_isLinearizable() throws ReflectiveOperationException {
    Actor take = new Actor(MailboxModelTest.class.getMethod("take"), List.of());
    Actor close = new Actor(MailboxModelTest.class.getMethod("close"), List.of());
    Actor size = new Actor(MailboxModelTest.class.getMethod("size"), List.of());
    new ModelCheckingOptions()
        .iterations(Integer.getInteger("orbitkv.model.scenarios", 6))
        .invocationsPerIteration(300)
        .threads(3)
        .actorsPerThread(3)
        .actorsBefore(2)
        .actorsAfter(2)
        // A place is taken and used again at once: chance seldom fills the mailbox before.
        .addCustomScenario(
            new ExecutionScenario(
                List.of(offering(1), offering(2)),
                List.of(List.of(take, take, take), List.of(offering(3), offering(4))),
                List.of(take, take),
                null))
        // The end comes while a place is claimed.
        .addCustomScenario(
            new ExecutionScenario(
                List.of(offering(1)),
                List.of(List.of(offering(2)), List.of(offering(3)), List.of(close)),
                List.of(size, take, take, take),
                null))
        .sequentialSpecification(Sequential.class)
        .check(MailboxModelTest.class);
  }

  private static Actor offering(int message) throws ReflectiveOperationException {
    return new Actor(MailboxModelTest.class.getMethod("offer", int.class), List.of(message));
  }

  /** A mailbox that only one thread uses. */
  public static final class Sequential {
    private final Queue<Integer> messages = new ArrayDeque<>();
    private boolean closed;

    public boolean offer(int message) {
      return !closed && messages.size() < CAPACITY && messages.add(message);
    }

    public @Nullable Integer take() {
      return messages.poll();
    }

    public int size() {
      return messages.size();
    }

    public void close() {
      closed = true;
    }
  }
}
