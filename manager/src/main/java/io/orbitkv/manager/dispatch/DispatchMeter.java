package io.orbitkv.manager.dispatch;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;

/**
 * Hears what the dispatcher does and when. Dispatcher; called for each event, so nothing here may
 * block, allocate or take longer than some ten nanoseconds.
 */
public interface DispatchMeter {
  /** Nobody measures. */
  DispatchMeter NONE =
      new DispatchMeter() {
        @Override
        public void arrived(Event event, long nowNanos) {}

        @Override
        public void told(Command command, long nowNanos) {}

        @Override
        public void stepped(long durationNanos) {}

        @Override
        public void batched(long durationNanos) {}

        @Override
        public void maintained(long lagNanos) {}

        @Override
        public void copied(CopyPlan.Direction direction, long durationNanos) {}
      };

  /** An event is about to be handled. */
  void arrived(Event event, long nowNanos);

  /** A command of the kernel was carried out: an answer is where its client can see it. */
  void told(Command command, long nowNanos);

  /** An event was handled and its commands were carried out. */
  void stepped(long durationNanos);

  /** Everything that waited was handled, or as much of it as goes before a look around. */
  void batched(long durationNanos);

  /** The maintenance tick was handled so much later than it was due. */
  void maintained(long lagNanos);

  /** A copier reported a plan, so long after it was handed over. */
  void copied(CopyPlan.Direction direction, long durationNanos);
}
