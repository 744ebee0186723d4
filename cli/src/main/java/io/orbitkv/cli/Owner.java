package io.orbitkv.cli;

import java.util.Optional;

/**
 * The process that started this one for its own purposes, and without which this one has none: a
 * process that is killed cannot take its children along, so they watch it.
 */
final class Owner {
  private final Optional<ProcessHandle> process;

  private Owner(Optional<ProcessHandle> process) {
    this.process = process;
  }

  static Owner of(long pid) {
    return new Owner(ProcessHandle.of(pid));
  }

  boolean isAlive() {
    return process.filter(ProcessHandle::isAlive).isPresent();
  }

  /** Calls {@code action} on a thread of its own once the owner has ended. */
  void onEnd(Runnable action) {
    Thread.ofPlatform()
        .name("orbitkv-owner-watch")
        .daemon()
        .start(() -> {
          process.ifPresent(running -> {
            ProcessHandle _ = running.onExit().join();
          });
          action.run();
        });
  }
}
