package io.orbitkv.manager.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class UndoStackTest {
  private final List<String> undone = new ArrayList<>();
  private final UndoStack stack = new UndoStack();

  @Test
  void close_undoesInReverseAndOnce() {
    stack.push("a", () -> undone.add("a"));
    stack.pushOnlyClean("b", () -> undone.add("b"));
    stack.close();
    stack.close();

    assertThat(undone).containsExactly("b", "a");
  }

  @Test
  void failure_doesNotKeepTheRestFromBeingUndone() {
    stack.push("a", () -> undone.add("a"));
    stack.push(
        "b",
        () -> {
          throw new IllegalStateException("planted");
        });
    stack.close();

    assertThat(undone).containsExactly("a");
  }

  @Test
  void whatMayBeInUse_staysWhenNotClean() {
    stack.push("a", () -> undone.add("a"));
    stack.pushOnlyClean("b", () -> undone.add("b"));
    stack.push("c", () -> undone.add("c"));
    stack.undo(false);

    assertThat(undone).containsExactly("c", "a");
  }
}
