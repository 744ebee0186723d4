package io.orbitkv.manager.dispatch;

import io.orbitkv.kernel.BrokenInvariant;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.KernelStatus;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Where the kernel's questions to policies go. Dispatcher; nothing here waits for a policy: what
 * comes back is an event of its own.
 *
 * <p>No method has a default: what stands before another port has to forward each of them.
 */
public interface PolicyPort {
  /**
   * The dispatcher's constructor.
   *
   * @param reports takes advice, on the dispatcher or another thread; never blocks
   * @param wake makes the dispatcher call {@link #advance} soon; any thread
   */
  void connect(Consumer<Event> reports, Runnable wake);

  /** A question, or facts, of the kernel. */
  void ask(Command.ToPolicies question, long nowNanos);

  /** An event that the kernel is about to see. */
  void heard(Event event, long nowNanos);

  /** A worker is registered: its instance has a handle. */
  void registered(Command.Registered registered);

  /** Often: after each batch of work, at {@link #nextDeadlineNanos} and when woken. */
  void advance(long nowNanos);

  /** When {@link #advance} is due at the latest, or {@link KernelPort#NO_DEADLINE}. */
  long nextDeadlineNanos();

  /**
   * The policies that have not done all that they were told and asked, by name; empty when all
   * have.
   */
  List<String> busy(long nowNanos);

  /**
   * Questions from now on are given much more time, or no more than usual: where runs are to be
   * repeatable, no default may stand in because a processor was busy.
   */
  void patient(boolean patient);

  /** A picture of each slot. */
  List<PolicyFigures> figures();

  /** The kernel's counters by variant, as far as variants take turns in serving its requests. */
  default VariantCounters variants(KernelStatus status) {
    return VariantCounters.none(status);
  }

  /**
   * No policies: a kernel that asks is broken.
   *
   * @param afterBatch hears of each {@link #advance}
   */
  static PolicyPort none(LongConsumer afterBatch) {
    return new PolicyPort() {
      @Override
      public void connect(Consumer<Event> reports, Runnable wake) {}

      @Override
      public void ask(Command.ToPolicies question, long nowNanos) {
        throw new BrokenInvariant("no policy is there to be asked: " + question);
      }

      @Override
      public void heard(Event event, long nowNanos) {}

      @Override
      public void registered(Command.Registered registered) {}

      @Override
      public void advance(long nowNanos) {
        afterBatch.accept(nowNanos);
      }

      @Override
      public long nextDeadlineNanos() {
        return KernelPort.NO_DEADLINE;
      }

      @Override
      public List<String> busy(long nowNanos) {
        return List.of();
      }

      @Override
      public void patient(boolean patient) {}

      @Override
      public List<PolicyFigures> figures() {
        return List.of();
      }
    };
  }
}
