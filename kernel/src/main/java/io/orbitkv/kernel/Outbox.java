package io.orbitkv.kernel;

/** Where the kernel puts its commands. Dispatcher. */
@FunctionalInterface
public interface Outbox {
  /** Appends a command. Never fails and never blocks. */
  void add(Command command);
}
