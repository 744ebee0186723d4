package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.HostRanges;
import io.orbitkv.api.copy.PlanCheck;
import io.orbitkv.cuda.CopyBatch;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.CudaException;
import io.orbitkv.cuda.RowCopy;
import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * All copies of one GPU in one direction: one thread with one stream. Slices of plans are submitted
 * a few at a time, each with an event behind it, and settled in order when their events happened.
 *
 * <p>A plan that waits for an event of its worker is set aside until that has happened, so that
 * those behind it are not held up; nothing of it is submitted before.
 *
 * <p>After an error the stream is waited for. When that succeeds nothing of the plan is under way
 * any more and it is reported as failed; when it does not, nobody knows, and the process ends.
 */
final class CopyLane {
  /** Longest sleep between two looks at an event; the kernel adds some 50 microseconds. */
  private static final long NAP_NANOS = 20_000;

  /** How long before the expected end of a slice the thread stays awake. */
  private static final long AWAKE_NANOS = 150_000;

  /** Longest time awake after it; work that is late sleeps between looks. */
  private static final long OVERTIME_NANOS = 100_000;

  /** Looks for a plan, some 100 microseconds in all, before an idle thread sleeps. */
  private static final int LOOKS_BEFORE_SLEEP = 2_000;

  /** Bytes a nanosecond before anything was measured: a PCIe 5 link's. */
  private static final double FIRST_RATE = 50;

  private final Gpu gpu;
  private final Cuda cuda;
  private final PlanLine line;
  private final HostRanges ranges;
  private final CudaCopySettings settings;
  private final LongSupplier nanoClock;
  private final Consumer<PlanRun> stages;
  private final BiConsumer<PlanRun, CopyOutcome> reports;
  private final ProcessEnd processEnd;
  private final ArrayDeque<Flight> flights = new ArrayDeque<>();
  private final ArrayDeque<Long> freeEvents = new ArrayDeque<>();
  private final List<PlanRun> held = new ArrayList<>();
  private final Thread thread;
  private double bytesPerNano = FIRST_RATE;
  private @Nullable String lost;

  /**
   * A slice that the GPU has.
   *
   * @param run its plan
   * @param event recorded behind it
   * @param bytes of it
   * @param startNanos when it was submitted, or when the one before it landed
   */
  private record Flight(PlanRun run, long event, long bytes, long startNanos) {}

  CopyLane(
      Gpu gpu,
      HostRanges ranges,
      CudaCopySettings settings,
      LongSupplier nanoClock,
      ThreadFactory threads,
      Consumer<PlanRun> stages,
      BiConsumer<PlanRun, CopyOutcome> reports,
      ProcessEnd processEnd) {
    this.gpu = gpu;
    cuda = gpu.cuda();
    line = new PlanLine(settings.foregroundSlices());
    this.ranges = ranges;
    this.settings = settings;
    this.nanoClock = nanoClock;
    this.stages = stages;
    this.reports = reports;
    this.processEnd = processEnd;
    thread = threads.newThread(this::work);
    thread.start();
  }

  /** Any thread. */
  void add(PlanRun run) {
    line.add(run);
  }

  /** Finishes what was accepted. */
  void close() {
    line.close();
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  // ---- the thread ------------------------------------------------------------------------------

  private void work() {
    long stream = 0;
    try (Arena arena = Arena.ofConfined()) {
      try {
        gpu.makeCurrent();
        stream = cuda.createStream();
      } catch (CudaException refused) {
        lost = "no stream: " + refused.getMessage();
      }
      CopyBatch batch = new CopyBatch(arena, settings.callFragments());
      copy(
          stream,
          new SliceWriter(
              cuda,
              stream,
              ranges,
              batch,
              new RowCopy(arena),
              settings.callFragments(),
              settings.minRows(),
              nanoClock));
      giveBack(stream);
    }
  }

  private void copy(long stream, SliceWriter writer) {
    while (true) {
      boolean idle = flights.isEmpty() && held.isEmpty();
      while (flights.size() < settings.slicesInFlight()) {
        PlanRun run = idle ? awaited() : line.take(false);
        if (run == null) {
          break;
        }
        idle = false;
        turn(run, writer, stream);
      }
      if (idle) {
        return; // Closed, and nothing is left.
      }
      release();
      settle(stream);
    }
  }

  /**
   * The next plan of an idle lane, null when it is closed. Plans often follow each other at once,
   * and to be woken takes longer than a short look around.
   */
  private @Nullable PlanRun awaited() {
    for (int look = 0; look < LOOKS_BEFORE_SLEEP; look++) {
      PlanRun run = line.take(false);
      if (run != null) {
        return run;
      }
      Thread.onSpinWait();
    }
    return line.take(true);
  }

  /** A plan's turn: it begins, is set aside, ends, or has its next slice submitted. */
  private void turn(PlanRun run, SliceWriter writer, long stream) {
    if (run.hasEnded()) {
      return;
    }
    try {
      if (lost != null) {
        // What was submitted before has landed or was reported with the loss.
        refuse(run, lost);
      } else if (run.isStarted() || begin(run)) {
        submit(run, writer, stream);
      }
    } catch (RuntimeException | Error failed) {
      // Of whatever kind: a lane that died of it would keep its plans for ever.
      failed(run, stream, "the copy of plan [" + run.plan().id() + "] failed: ", failed);
    }
  }

  private boolean begin(PlanRun run) {
    String wrong = PlanCheck.failure(run.plan(), run.memory().bytes(), ranges);
    if (wrong == null && !run.memory().knowsEvent(run.plan().waitEvent())) {
      wrong =
          "plan ["
              + run.plan().id()
              + "] waits for event ["
              + run.plan().waitEvent()
              + "], but its worker registered ["
              + run.memory().eventCount()
              + "]: send the place of an event in the registration, from 1";
    }
    if (wrong != null) {
      refuse(run, wrong);
      return false;
    }
    if (!run.memory().happened(run.plan().waitEvent())) {
      held.add(run);
      return false;
    }
    run.start();
    return true;
  }

  private void submit(PlanRun run, SliceWriter writer, long stream) {
    if (run.plan().isStaged()) {
      submitLayers(run, writer, stream);
      return;
    }
    long from = run.nextByte();
    long to = Math.min(run.plan().bytes(), from + settings.sliceBytes().bytes());
    long startNanos = nanoClock.getAsLong();
    writer.submit(run, from, to, flights.isEmpty());
    fly(run, to, to - from, startNanos, stream);
    if (run.hasMore()) {
      line.again(run);
    }
  }

  /** All of a staged plan, with the slot's event and one of the lane's own behind each layer. */
  private void submitLayers(PlanRun run, SliceWriter writer, long stream) {
    CopyPlan plan = run.plan();
    long[] end = {0};
    long startNanos = nanoClock.getAsLong();
    writer.submitLayers(
        run,
        layer -> {
          cuda.recordEvent(run.memory().stageEvent(plan.stageSlot(), layer), stream);
          long bytes = plan.slot().layers().get(layer).pageBytes() * plan.pages();
          end[0] += bytes;
          fly(run, end[0], bytes, startNanos, stream);
        });
    stages.accept(run);
  }

  /** Notes what was submitted of a plan, up to byte {@code end} of it, and an event behind it. */
  private void fly(PlanRun run, long end, long bytes, long startNanos, long stream) {
    Long free = freeEvents.poll();
    long event = free == null ? cuda.createEvent() : free;
    boolean recorded = false;
    try {
      cuda.recordEvent(event, stream);
      recorded = true;
    } finally {
      if (!recorded) {
        freeEvents.add(event);
      }
    }
    run.submitted(end);
    flights.add(new Flight(run, event, bytes, startNanos));
  }

  /** Plans whose events happened go on; nothing was submitted of one whose event takes too long. */
  private void release() {
    long latest = nanoClock.getAsLong() - settings.eventTimeout().toNanos();
    for (Iterator<PlanRun> runs = held.iterator(); runs.hasNext(); ) {
      PlanRun run = runs.next();
      try {
        if (run.memory().happened(run.plan().waitEvent())) {
          runs.remove();
          run.start();
          line.first(run);
        } else if (run.acceptedNanos() < latest) {
          runs.remove();
          refuse(run, late(run));
        }
      } catch (CudaException failed) {
        runs.remove();
        refuse(run, "the event of plan [" + run.plan().id() + "] failed: " + failed.getMessage());
      }
    }
  }

  private String late(PlanRun run) {
    return "event ["
        + run.plan().waitEvent()
        + "] of plan ["
        + run.plan().id()
        + "] has not happened in ["
        + settings.eventTimeout().toSeconds()
        + "s]: see whether the worker's stream hangs, or raise event-timeout";
  }

  /** Settles the slices that landed; sleeps or looks again when the first has not. */
  private void settle(long stream) {
    Flight first = flights.peek();
    if (first == null) {
      if (!held.isEmpty()) {
        LockSupport.parkNanos(NAP_NANOS);
      }
      return;
    }
    try {
      if (cuda.isDone(first.event())) {
        landed();
      } else {
        pause(first);
      }
    } catch (RuntimeException | Error failed) {
      failed(first.run(), stream, "a copy on the GPU failed: ", failed);
    }
  }

  private void landed() {
    Flight flight = flights.remove();
    freeEvents.add(flight.event());
    long now = nanoClock.getAsLong();
    long nanos = Math.max(1, now - flight.startNanos());
    bytesPerNano += (Math.min((double) flight.bytes() / nanos, FIRST_RATE * 20) - bytesPerNano) / 8;
    Flight next = flights.poll();
    if (next != null) {
      // It had the link to itself from now on only.
      flights.addFirst(new Flight(next.run(), next.event(), next.bytes(), now));
    }
    flight.run().landed();
    if (flight.run().isDone()) {
      end(flight.run());
    }
  }

  /** Sleeps while the slice cannot be done, stays awake about its expected end. */
  private void pause(Flight first) {
    double expected = first.bytes() / Math.max(bytesPerNano, 0.1);
    double left = expected - (nanoClock.getAsLong() - first.startNanos());
    if (left > AWAKE_NANOS) {
      LockSupport.parkNanos((long) left - AWAKE_NANOS);
    } else if (left < -OVERTIME_NANOS) {
      LockSupport.parkNanos(NAP_NANOS);
    } else {
      Thread.onSpinWait();
    }
  }

  /**
   * Some of a plan may be under way. Everything on the stream is waited for; then what was
   * submitted has landed or has no effect any more.
   */
  private void failed(PlanRun run, long stream, String what, Throwable failure) {
    String message =
        what + (failure instanceof CudaException ? failure.getMessage() : failure.toString());
    try {
      cuda.synchronizeStream(stream);
    } catch (CudaException unknown) {
      lose(run, message, unknown);
      return;
    }
    run.fail(message);
    boolean inFlight = false;
    while (!flights.isEmpty()) {
      inFlight |= flights.element().run().equals(run);
      landed();
    }
    if (!inFlight) {
      end(run);
    }
  }

  /** Whether the GPU still writes is not known: no plan of the lane may end as done or failed. */
  private void lose(PlanRun run, String message, CudaException unknown) {
    String end = message + "; and its stream cannot be waited for: " + unknown.getMessage();
    lost = "GPU [" + gpu.device().uuid() + "] is lost: " + end;
    List<PlanRun> touched = new ArrayList<>();
    touched.add(run);
    flights.forEach(flight -> touched.add(flight.run()));
    flights.clear();
    touched.stream()
        .distinct()
        .forEach(plan -> {
          plan.fail(end);
          reports.accept(plan, new CopyOutcome.Unknown(end));
        });
    processEnd.now(lost);
  }

  /** Of a plan of which nothing is under way. */
  private void refuse(PlanRun run, String why) {
    run.fail(why);
    end(run);
  }

  private void end(PlanRun run) {
    run.end();
    reports.accept(run, run.outcome());
  }

  private void giveBack(long stream) {
    if (lost != null) {
      return; // Nothing in that context can be given back.
    }
    for (long event : freeEvents) {
      cuda.destroyEvent(event);
    }
    cuda.destroyStream(stream);
  }
}
