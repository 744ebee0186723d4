package io.orbitkv.manager.dispatch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The dispatchers of a Manager: one, or one for each cell where tiers and budgets are divided. Any
 * thread but a dispatcher.
 */
public final class Cells {
  private final List<Cell> all;

  /**
   * A cache of its own: kernel, dispatcher, tiers and budgets.
   *
   * @param name number of the cell, from 1; empty when it is the only one
   */
  public record Cell(String name, Dispatcher dispatcher) {}

  /** At least one. */
  public Cells(List<Cell> all) {
    if (all.isEmpty()) {
      throw new IllegalArgumentException("a Manager has at least one cell");
    }
    this.all = List.copyOf(all);
  }

  /** The only one. */
  public static Cells of(Dispatcher dispatcher) {
    return new Cells(List.of(new Cell("", dispatcher)));
  }

  /** In their order. */
  public List<Cell> all() {
    return all;
  }

  /** Whether there is more than one. */
  public boolean divided() {
    return all.size() > 1;
  }

  /**
   * A picture of each, after everything that this thread submitted before. Completed on a
   * dispatcher; fails when one has ended.
   */
  public CompletableFuture<CellsPicture> picture() {
    List<CompletableFuture<DispatcherPicture>> asked = new ArrayList<>();
    for (Cell cell : all) {
      asked.add(cell.dispatcher().picture());
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture<?>[]::new))
        .thenApply(_ -> {
          List<CellsPicture.Part> parts = new ArrayList<>();
          for (int i = 0; i < all.size(); i++) {
            parts.add(new CellsPicture.Part(all.get(i).name(), asked.get(i).join()));
          }
          return new CellsPicture(parts);
        });
  }

  /** The deep check of all invariants; a broken one ends the process. */
  public CompletableFuture<Void> verify() {
    return CompletableFuture.allOf(
        all.stream().map(cell -> cell.dispatcher().verify()).toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Waits until nothing is under way anywhere, as {@link Dispatcher#settle}: nothing goes from one
   * cell to another.
   *
   * @return null when everything is settled, otherwise what was under way when the time was over
   */
  public @Nullable String settle(Duration within) throws InterruptedException {
    long end = System.nanoTime() + within.toNanos();
    for (Cell cell : all) {
      String awaited =
          cell.dispatcher().settle(Duration.ofNanos(Math.max(1, end - System.nanoTime())));
      if (awaited != null) {
        return divided() ? awaited + " in cell " + cell.name() : awaited;
      }
    }
    return null;
  }

  /** About how many messages wait. */
  public int backlog() {
    return all.stream().mapToInt(cell -> cell.dispatcher().backlog()).sum();
  }

  /** Done once nothing is left anywhere after a drain. Completed on a dispatcher. */
  public CompletableFuture<Void> drained() {
    return CompletableFuture.allOf(
        all.stream().map(cell -> cell.dispatcher().drained()).toArray(CompletableFuture<?>[]::new));
  }

  /** Done once one of them has ended, for whatever reason. */
  public CompletableFuture<Object> ended() {
    return CompletableFuture.anyOf(
        all.stream().map(cell -> cell.dispatcher().ended()).toArray(CompletableFuture<?>[]::new));
  }
}
