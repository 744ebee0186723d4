package io.orbitkv.manager.policy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What policies decided. Every decision is counted and the newest are kept in memory, a sample of
 * them with everything that the policy saw; those, and each that a default decided, go to the file
 * if there is one. One thread writes (the dispatcher), any thread reads; neither waits.
 */
public final class Journal implements AutoCloseable {
  private final JournalSettings settings;
  private final AtomicReferenceArray<@Nullable JournalEntry> ring;
  private final AtomicLong entries = new AtomicLong();
  private final AtomicLong decisions = new AtomicLong();
  private final AtomicLong sampled = new AtomicLong();
  private final @Nullable JournalFile file;
  private long sinceSample;

  private Journal(JournalSettings settings, @Nullable JournalFile file) {
    this.settings = settings;
    this.ring = new AtomicReferenceArray<>(settings.decisions());
    this.file = file;
    // The first decision of all is of the sample.
    this.sinceSample = settings.sample() - 1L;
  }

  /**
   * An empty journal.
   *
   * @throws IOException when its file cannot be opened
   */
  public static Journal open(JournalSettings settings) throws IOException {
    Path path = settings.file();
    JournalFile file = path == null ? null : new JournalFile(path, settings.maxFileBytes());
    if (file != null) {
      file.start();
    }
    return new Journal(settings, file);
  }

  /** An empty journal in memory alone. */
  public static Journal inMemory(int decisions, int sample) {
    return new Journal(new JournalSettings(decisions, sample, null, 0), null);
  }

  /**
   * Figures of the journal.
   *
   * @param decisions since the start
   * @param sampled of them with their inputs
   * @param kept in memory, boundaries among them
   * @param overwritten in memory, because they were the oldest
   * @param fileLines in the file; 0 without one
   * @param fileDropped lines that the file was too slow for, or that it failed to take
   */
  public record Figures(
      long decisions,
      long sampled,
      long kept,
      long overwritten,
      long fileLines,
      long fileDropped) {}

  /** Any thread. */
  public Figures figures() {
    long all = entries.get();
    long kept = Math.min(all, ring.length());
    JournalFile target = file;
    return new Figures(
        decisions.get(),
        sampled.get(),
        kept,
        all - kept,
        target == null ? 0 : target.written(),
        target == null ? 0 : target.dropped());
  }

  /** A writer. Whether the next decision is to have its inputs. */
  synchronized boolean takesInputs(boolean byDefault) {
    return byDefault || sinceSample + 1 >= settings.sample();
  }

  /** A writer: there is one for each cell of a Manager. */
  synchronized void add(JournalEntry.Decision decision) {
    decisions.incrementAndGet();
    sinceSample++;
    boolean full = decision.inputs() != null;
    if (full) {
      sampled.incrementAndGet();
    }
    if (sinceSample >= settings.sample()) {
      sinceSample = 0;
    }
    keep(decision, full || decision.byDefault());
  }

  /** A writer. */
  synchronized void add(JournalEntry.Boundary boundary) {
    keep(boundary, true);
  }

  private void keep(JournalEntry entry, boolean toFile) {
    ring.set((int) (entries.get() % ring.length()), entry);
    entries.incrementAndGet();
    if (toFile && file != null) {
      file.offer(entry);
    }
  }

  /**
   * Any thread. The newest entries that are wanted, the oldest of them first.
   *
   * @param most how many at most
   */
  List<JournalEntry> last(int most, Predicate<JournalEntry> wanted) {
    List<JournalEntry> found = new ArrayList<>();
    long end = entries.get();
    long start = Math.max(0, end - ring.length());
    for (long place = end - 1; place >= start && found.size() < most; place--) {
      // One that is overwritten meanwhile is newer than its place says, and no less true.
      JournalEntry entry = ring.get((int) (place % ring.length()));
      if (entry != null && wanted.test(entry)) {
        found.add(entry);
      }
    }
    return List.copyOf(found.reversed());
  }

  /** After every writer has ended. Writes the file to its end. */
  @Override
  public void close() {
    if (file != null) {
      file.close();
    }
  }
}
