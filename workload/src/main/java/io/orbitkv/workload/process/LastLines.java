package io.orbitkv.workload.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Reads what a child process tells and keeps the end of it, in memory: a file would need room on a
 * disk that may be full, and would outlive a parent that is killed. Any thread.
 */
final class LastLines {
  private static final int MOST_LINES = 200;
  private static final int MOST_CHARACTERS = 2_000;

  private final Thread thread;
  // Guarded by this.
  private final ArrayDeque<String> lines = new ArrayDeque<>();

  private LastLines(InputStream stream) {
    thread = Thread.ofPlatform().name("orbitkv-child-log").daemon().unstarted(() -> read(stream));
  }

  /** Reads until the stream ends. */
  static LastLines of(InputStream stream) {
    LastLines lines = new LastLines(stream);
    lines.thread.start();
    return lines;
  }

  /** Waits until the child has told everything. */
  void awaitEnd() throws InterruptedException {
    thread.join();
  }

  /** The last lines so far, the oldest first. */
  synchronized List<String> lines() {
    return List.copyOf(lines);
  }

  private void read(InputStream stream) {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        add(line.length() > MOST_CHARACTERS ? line.substring(0, MOST_CHARACTERS) : line);
      }
    } catch (IOException ended) {
      // The child was killed; what it told before is there.
    }
  }

  private synchronized void add(String line) {
    if (lines.size() == MOST_LINES) {
      lines.removeFirst();
    }
    lines.add(line);
  }
}
