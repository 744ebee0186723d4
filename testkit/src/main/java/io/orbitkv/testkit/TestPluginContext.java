package io.orbitkv.testkit;

import io.orbitkv.api.plugin.PluginContext;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The scope of a plugin under test: a clock that stands still until moved, meters and log lines
 * that can be asked for, and a {@link #close} that fails the test when the plugin leaves a thread
 * running or when one of its threads died of an exception. Any thread.
 */
public final class TestPluginContext implements PluginContext, AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final String pluginId;
  private final ManualClock clock = new ManualClock(1_000_000_000L);
  private final RecordedMeters meters = new RecordedMeters();
  private final RecordedLog log;
  private final List<Thread> threads = new CopyOnWriteArrayList<>();
  private final List<Throwable> uncaught = new CopyOnWriteArrayList<>();
  private final AtomicInteger threadNumber = new AtomicInteger();
  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private boolean closed;

  /**
   * @param pluginId the plugin's id
   */
  public TestPluginContext(String pluginId) {
    this.pluginId = pluginId;
    this.log = new RecordedLog(pluginId);
  }

  @Override
  public String pluginId() {
    return pluginId;
  }

  @Override
  public LongSupplier nanoClock() {
    return clock;
  }

  /** The clock, to be moved by the test. */
  public ManualClock clock() {
    return clock;
  }

  @Override
  public ThreadFactory threads() {
    return task -> {
      Thread thread = new Thread(task, pluginId + "-" + threadNumber.getAndIncrement());
      thread.setDaemon(true);
      thread.setUncaughtExceptionHandler((died, cause) -> uncaught.add(cause));
      threads.add(thread);
      return thread;
    };
  }

  @Override
  public RecordedLog log() {
    return log;
  }

  @Override
  public RecordedMeters meters() {
    return meters;
  }

  @Override
  public synchronized <T extends AutoCloseable> T closeWithScope(T resource) {
    if (closed) {
      throw new IllegalStateException("the scope of [" + pluginId + "] is closed");
    }
    resources.push(resource);
    return resource;
  }

  /** Names of the plugin's threads that still run. */
  public List<String> runningThreads() {
    return threads.stream().filter(Thread::isAlive).map(Thread::getName).toList();
  }

  /** What the plugin's threads died of. */
  public List<Throwable> uncaught() {
    return List.copyOf(uncaught);
  }

  /**
   * Closes the resources in reverse order, interrupts the threads that still run and waits for
   * them.
   *
   * @throws AssertionError when a thread does not end, died of an exception, or a resource cannot
   *     be closed
   */
  @Override
  public void close() {
    Deque<AutoCloseable> open;
    synchronized (this) {
      closed = true;
      open = new ArrayDeque<>(resources);
      resources.clear();
    }
    AssertionError fault = new AssertionError("the scope of [" + pluginId + "] was not left clean");
    for (AutoCloseable resource : open) {
      closeOne(resource, fault);
    }
    for (Thread thread : threads) {
      thread.interrupt();
    }
    try {
      for (Thread thread : threads) {
        if (!thread.join(PATIENCE)) {
          AssertionError leak = new AssertionError("thread [" + thread.getName() + "] still runs");
          leak.setStackTrace(thread.getStackTrace());
          fault.addSuppressed(leak);
        }
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      fault.addSuppressed(interrupted);
    }
    uncaught.forEach(fault::addSuppressed);
    if (fault.getSuppressed().length > 0) {
      throw fault;
    }
  }

  private static void closeOne(AutoCloseable resource, AssertionError fault) {
    try {
      resource.close();
    } catch (Exception cause) {
      fault.addSuppressed(cause);
    }
  }
}
