package io.orbitkv.manager.boot;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been started, to be undone in reverse. A step that fails does not keep the others from
 * being undone.
 */
final class UndoStack implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(UndoStack.class);

  private final Deque<Step> steps = new ArrayDeque<>();

  private record Step(String name, AutoCloseable undo, boolean onlyClean) {}

  /** Something that is always undone. */
  <T extends AutoCloseable> T push(String name, T undo) {
    steps.push(new Step(name, undo, false));
    return undo;
  }

  /**
   * Something that may be undone only when nothing uses it any more, such as memory that a device
   * may still write to; left to the end of the process otherwise.
   */
  <T extends AutoCloseable> T pushOnlyClean(String name, T undo) {
    steps.push(new Step(name, undo, true));
    return undo;
  }

  /** Undoes everything. */
  @Override
  public void close() {
    undo(true);
  }

  /** Undoes everything that can be; {@code clean} tells that nothing is in use. */
  void undo(boolean clean) {
    while (!steps.isEmpty()) {
      Step step = steps.pop();
      if (step.onlyClean() && !clean) {
        log.warn("[{}] may still be in use and is left to the end of the process", step.name());
        continue;
      }
      try {
        step.undo().close();
      } catch (Exception failed) {
        log.error("[{}] did not end cleanly", step.name(), failed);
      }
    }
  }
}
