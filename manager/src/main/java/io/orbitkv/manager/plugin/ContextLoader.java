package io.orbitkv.manager.plugin;

import org.jspecify.annotations.Nullable;

/** Sets the context class loader of the calling thread until it is closed. */
record ContextLoader(@Nullable ClassLoader previous) implements AutoCloseable {
  static ContextLoader of(@Nullable ClassLoader loader) {
    ContextLoader context = new ContextLoader(Thread.currentThread().getContextClassLoader());
    Thread.currentThread().setContextClassLoader(loader);
    return context;
  }

  @Override
  public void close() {
    Thread.currentThread().setContextClassLoader(previous);
  }
}
