package io.orbitkv.manager.metrics;

import com.sun.management.ThreadMXBean;
import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Command;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.dispatch.DispatchMeter;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/**
 * What the measuring costs the dispatcher, printed in nanoseconds an event: a program, not a test.
 * Each round is a query, its answer and its acknowledgement, among many others that are open.
 */
final class DispatchMeterCost {
  private static final int OPEN = 1024;
  private static final int ROUNDS = 2_000_000;
  private static final int EVENTS_A_ROUND = 2;

  private DispatchMeterCost() {}

  public static void main(String[] arguments) {
    Event[] submits = new Event[OPEN];
    Command[] answers = new Command[OPEN];
    Event[] taken = new Event[OPEN];
    for (int i = 0; i < OPEN; i++) {
      submits[i] = submit(i + 1);
      answers[i] = answer(i + 1);
      taken[i] = new Event.Taken(1, i + 1, 1);
    }
    DispatcherMeters meters = new DispatcherMeters(new ManagerMeterRegistry(System::nanoTime));
    for (int repeat = 0; repeat < 8; repeat++) {
      double none = nanosAnEvent(DispatchMeter.NONE, submits, answers, taken);
      double measured = nanosAnEvent(meters, submits, answers, taken);
      System.out.printf(
          "%.1f ns an event with measuring, %.1f without: %.1f more%n",
          measured, none, measured - none);
    }
  }

  // Processor time: others use the machine too.
  private static double nanosAnEvent(
      DispatchMeter meter, Event[] submits, Command[] answers, Event[] taken) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    for (Event submit : submits) {
      meter.arrived(submit, 1);
    }
    long bytes = threads.getCurrentThreadAllocatedBytes();
    long begin = threads.getCurrentThreadCpuTime();
    long now = System.nanoTime();
    for (int round = 0; round < ROUNDS; round++) {
      int last = round & (OPEN - 1);
      int next = (round + OPEN / 2) & (OPEN - 1);
      now = step(meter, submits[next], answers[next], now);
      now = step(meter, taken[last], null, now);
    }
    long nanos = threads.getCurrentThreadCpuTime() - begin;
    bytes = threads.getCurrentThreadAllocatedBytes() - bytes;
    if (bytes > ROUNDS) {
      System.out.println(bytes / ROUNDS + " bytes allocated a round");
    }
    return (double) nanos / ROUNDS / EVENTS_A_ROUND;
  }

  // As the dispatcher does it: one look at the clock, which it takes without measuring too.
  private static long step(
      DispatchMeter meter, Event event, @Nullable Command command, long start) {
    meter.arrived(event, start);
    long end = System.nanoTime();
    if (command != null) {
      meter.told(command, end);
    }
    meter.stepped(end - start);
    return end;
  }

  private static Event submit(long operation) {
    return new Event.Submit(
        1,
        operation,
        1,
        -1,
        1,
        QueryKind.DEMAND,
        "r",
        new int[] {0},
        new int[] {1},
        new long[2],
        null);
  }

  private static Command answer(long operation) {
    return new Command.Answer(
        1,
        operation,
        1,
        -1,
        AnswerState.READY,
        1,
        0,
        new LeaseId(operation * 0x9e3779b97f4a7c15L, operation * 0xc2b2ae3d27d4eb4fL),
        ErrorCode.NONE,
        "");
  }
}
