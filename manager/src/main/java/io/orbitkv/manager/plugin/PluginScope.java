package io.orbitkv.manager.plugin;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.orbitkv.api.plugin.Meters;
import io.orbitkv.api.plugin.PluginContext;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a plugin made through its context. Closing it interrupts its threads, closes its
 * resources in reverse order and removes its meters; then nothing of the Manager refers to the
 * plugin's classes any more. Any thread; the host alone closes it.
 */
public final class PluginScope implements PluginContext, AutoCloseable {
  private final String id;
  private final LongSupplier nanoClock;
  private final Duration threadPatience;
  private final System.Logger log;
  private final ScopedMeters meters;
  private final MeterRegistry registry;
  private final Object lock = new Object();

  // Guarded by lock.
  private final Deque<AutoCloseable> resources = new ArrayDeque<>();
  private final List<Thread> threads = new ArrayList<>();
  private @Nullable ClassLoader loader;
  private int threadsMade;
  private boolean closed;

  PluginScope(
      String id,
      @Nullable ClassLoader loader,
      MeterRegistry registry,
      LongSupplier nanoClock,
      Duration threadPatience) {
    this.id = id;
    this.loader = loader;
    this.nanoClock = nanoClock;
    this.threadPatience = threadPatience;
    this.log = System.getLogger("orbitkv.plugin." + id);
    this.meters = new ScopedMeters(id, registry);
    this.registry = registry;
  }

  @Override
  public String pluginId() {
    return id;
  }

  @Override
  public LongSupplier nanoClock() {
    return nanoClock;
  }

  @Override
  public ThreadFactory threads() {
    return this::newThread;
  }

  @Override
  public System.Logger log() {
    return log;
  }

  @Override
  public Meters meters() {
    return meters;
  }

  /**
   * Meters of one instance of a policy. Whoever made the instance closes them with it.
   *
   * @param policy its name
   * @param epoch in which it began to serve
   */
  public ScopedMeters policyMeters(String policy, long epoch) {
    return new ScopedMeters(id, registry, Tags.of("policy", policy, "epoch", Long.toString(epoch)));
  }

  /**
   * The same scope for what is made for one of several cells: its meters carry the cell's name.
   * They end with this scope.
   */
  public PluginContext ofCell(String cell) {
    ScopedMeters own = closeWithScope(new ScopedMeters(id, registry, Tags.of("cell", cell)));
    return new CellContext(this, own);
  }

  private record CellContext(PluginScope scope, ScopedMeters meters) implements PluginContext {
    @Override
    public String pluginId() {
      return scope.pluginId();
    }

    @Override
    public LongSupplier nanoClock() {
      return scope.nanoClock();
    }

    @Override
    public ThreadFactory threads() {
      return scope.threads();
    }

    @Override
    public System.Logger log() {
      return scope.log();
    }

    @Override
    public <T extends AutoCloseable> T closeWithScope(T resource) {
      return scope.closeWithScope(resource);
    }
  }

  @Override
  public <T extends AutoCloseable> T closeWithScope(T resource) {
    synchronized (lock) {
      if (!closed) {
        resources.push(resource);
        return resource;
      }
    }
    close(resource);
    throw new IllegalStateException("the scope of plugin [" + id + "] is closed already");
  }

  private Thread newThread(Runnable work) {
    synchronized (lock) {
      if (closed) {
        throw new IllegalStateException("the scope of plugin [" + id + "] is closed already");
      }
      threads.removeIf(thread -> thread.getState() == Thread.State.TERMINATED);
      // A daemon: a plugin must not keep the process from ending.
      Thread thread =
          Thread.ofPlatform()
              .name(id + "-" + threadsMade++)
              .daemon(true)
              .uncaughtExceptionHandler((failed, cause) ->
                  log.log(Level.ERROR, "thread [" + failed.getName() + "] failed", cause))
              .unstarted(work);
      thread.setContextClassLoader(loader);
      threads.add(thread);
      return thread;
    }
  }

  /**
   * Ends the scope. A second call does nothing.
   *
   * <p>Called by the host when the plugin stops; logs what did not end.
   */
  @Override
  public void close() {
    closeAll();
  }

  /**
   * Ends the scope.
   *
   * @return names of threads that still run although they were interrupted
   */
  List<String> closeAll() {
    List<AutoCloseable> toClose;
    List<Thread> toEnd;
    synchronized (lock) {
      if (closed) {
        return List.of();
      }
      closed = true;
      toClose = List.copyOf(resources);
      toEnd = List.copyOf(threads);
      resources.clear();
      threads.clear();
      loader = null;
    }
    toEnd.forEach(Thread::interrupt);
    toClose.forEach(this::close);
    meters.close();
    return awaitEnd(toEnd);
  }

  private void close(AutoCloseable resource) {
    try (ContextLoader _ = ContextLoader.of(resource.getClass().getClassLoader())) {
      resource.close();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      log.log(Level.WARNING, "closing a resource of plugin [" + id + "] was interrupted");
    } catch (Exception | LinkageError | AssertionError failed) {
      // The rest must still be closed; the failure is the plugin's.
      log.log(
          Level.WARNING,
          "closing a resource of plugin [" + id + "] failed: " + RefusedException.describe(failed));
    }
  }

  private List<String> awaitEnd(List<Thread> toEnd) {
    long deadlineNanos = System.nanoTime() + threadPatience.toNanos();
    boolean interrupted = false;
    for (Thread thread : toEnd) {
      if (thread == Thread.currentThread()) {
        continue;
      }
      try {
        long leftNanos = Math.max(0, deadlineNanos - System.nanoTime());
        if (thread.getState() != Thread.State.NEW) {
          thread.join(Duration.ofNanos(leftNanos));
        }
      } catch (InterruptedException stop) {
        interrupted = true;
        break;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    List<String> running =
        toEnd.stream().filter(Thread::isAlive).map(Thread::getName).sorted().toList();
    if (!running.isEmpty()) {
      log.log(
          Level.WARNING,
          "plugin ["
              + id
              + "] left threads that do not end when interrupted: ["
              + String.join(", ", running)
              + "]; its classes stay in memory until they do");
    }
    return running;
  }
}
