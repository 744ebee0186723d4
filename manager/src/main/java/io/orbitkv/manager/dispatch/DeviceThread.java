package io.orbitkv.manager.dispatch;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor;
import io.orbitkv.api.page.WorkerLayout;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.thread.SerialThread;
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

  /** Starts the thread. */
  public DeviceThread() {}

  void open(
      long registration,
      DeviceCopier copier,
      DeviceMemoryDescriptor descriptor,
      WorkerLayout layout,
      Consumer<Event> report) {
    thread.execute(() -> {
      DeviceMemory memory;
      try {
        memory = copier.open(descriptor, layout);
      } catch (Throwable refused) {
        // Errors too (a library that does not load): a request without a report would leave the
        // worker waiting and the drain without an end.
        log.info("device memory {} was not opened: {}", descriptor, refused.getMessage());
        report.accept(new Event.DeviceFailed(registration, reason(refused)));
        return;
      }
      report.accept(new Event.DeviceOpened(registration, memory));
    });
  }

  void close(long registration, DeviceMemory memory, Consumer<Event> report) {
    thread.execute(() -> {
      try {
        memory.close();
      } catch (Throwable failed) {
        log.warn("device memory of registration [{}] was not closed cleanly", registration, failed);
      }
      report.accept(new Event.DeviceClosed(registration));
    });
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
    return message == null || refused instanceof Error ? refused.toString() : message;
  }
}
