package io.orbitkv.manager.dispatch;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.thread.SerialThread;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens and closes device memory, which may block, away from the dispatcher. One request has one
 * report, so the reports on their way are limited by the number of registrations.
 */
public final class DeviceThread implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(DeviceThread.class);

  private final SerialThread thread = new SerialThread("orbitkv-device");
  private final Set<Long> stuck = new ConcurrentSkipListSet<>();

  /** Starts the thread. */
  public DeviceThread() {}

  void open(
      long registration,
      DeviceCopier copier,
      DeviceMemoryDescriptor descriptor,
      WorkerLayout layout,
      Consumer<Event> report) {
    thread.execute(() -> {
      Event outcome = opened(registration, copier, descriptor, layout);
      report.accept(outcome);
      if (outcome instanceof Event.DeviceFailed failed) {
        log.info("device memory {} was not opened: {}", descriptor, failed.message());
      }
    });
  }

  // A copier may fail in any way; a registration without a report would be opening for ever.
  private static Event opened(
      long registration,
      DeviceCopier copier,
      DeviceMemoryDescriptor descriptor,
      WorkerLayout layout) {
    try {
      return new Event.DeviceOpened(
          registration, Objects.requireNonNull(copier.open(descriptor, layout)));
    } catch (Throwable refused) {
      return new Event.DeviceFailed(registration, reason(refused));
    }
  }

  /**
   * Reports the end of a memory that was closed. One that was not may still be written to: it stays
   * with the kernel, so that nothing under it is given away, and {@link #stuck} names it.
   */
  void close(long registration, DeviceMemory memory, Consumer<Event> report) {
    thread.execute(() -> {
      try {
        memory.close();
      } catch (Throwable failed) {
        stuck.add(registration);
        log.error(
            "device memory of registration [{}] was not closed and is held until the process ends",
            registration,
            failed);
        return;
      }
      report.accept(new Event.DeviceClosed(registration));
    });
  }

  /** Any thread. Registrations whose device memory could not be closed, in order. */
  public List<Long> stuck() {
    return List.copyOf(stuck);
  }

  /**
   * Any thread. Runs something that may block, such as closing a status board, after what was asked
   * for before.
   */
  public void later(Runnable work) {
    thread.execute(work);
  }

  /** Finishes what was asked for and ends the thread. */
  @Override
  public void close() {
    thread.close();
  }

  private static String reason(Throwable refused) {
    String message = refused.getMessage();
    // The message of an Error, such as the bare name of a class, says nothing alone.
    return message == null || refused instanceof Error ? refused.toString() : message;
  }
}
