package io.orbitkv.ssd.device;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A ring whose completions a test makes. */
final class ScriptedRing implements SubmissionRing {
  private static final long PATIENCE_SECONDS = 60;

  private record Completion(long number, int result) {}

  private final BlockingQueue<Request> submitted = new LinkedBlockingQueue<>();
  private final BlockingQueue<Completion> completions = new LinkedBlockingQueue<>();
  private final List<Request> prepared = new ArrayList<>();
  private volatile int refusal;
  private volatile boolean throwing;
  private volatile boolean closed;
  private final AtomicInteger waits = new AtomicInteger();
  private Completion current = new Completion(0, 0);

  ScriptedRing() {}

  /** The next request that reached the ring. */
  Request awaitRequest() throws InterruptedException {
    Request request = submitted.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
    if (request == null) {
      throw new AssertionError("no request came");
    }
    return request;
  }

  void complete(long number, int result) {
    completions.add(new Completion(number, result));
  }

  void complete(Request request) {
    complete(request.number(), (int) request.bytes());
  }

  /** The next wait fails with an error of the system. */
  void refuse(int error) {
    refusal = error;
    wake();
  }

  /** The thread meets a fault at its next request. */
  void throwAtNextRequest() {
    throwing = true;
  }

  /** How often the thread waited, or still waits. */
  int waits() {
    return waits.get();
  }

  boolean closed() {
    return closed;
  }

  @Override
  public int free() {
    return 8;
  }

  @Override
  public void prepare(Request request) {
    if (throwing) {
      throw new StackOverflowError("planted");
    }
    prepared.add(request);
  }

  @Override
  public void armWake() {
    // A wake always ends a wait here.
  }

  @Override
  public int submitAndWait(long timeoutNanos) {
    waits.incrementAndGet();
    submitted.addAll(prepared);
    prepared.clear();
    try {
      Completion next = completions.poll(timeoutNanos, TimeUnit.NANOSECONDS);
      if (next != null) {
        // Back to the head: nextCompletion takes it.
        List<Completion> all = new ArrayList<>(List.of(next));
        completions.drainTo(all);
        completions.addAll(all);
      }
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
    return -refusal;
  }

  @Override
  public boolean nextCompletion() {
    Completion next = completions.poll();
    if (next != null) {
      current = next;
    }
    return next != null;
  }

  @Override
  public long completedNumber() {
    return current.number();
  }

  @Override
  public int completedResult() {
    return current.result();
  }

  @Override
  public void release(Request request) {
    // Slots never run out here.
  }

  @Override
  public void wake() {
    complete(WAKE, Long.BYTES);
  }

  @Override
  public boolean fixedBuffers() {
    return false;
  }

  @Override
  public String notes() {
    return "";
  }

  @Override
  public void close() {
    closed = true;
  }
}
