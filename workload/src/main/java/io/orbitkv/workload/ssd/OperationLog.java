package io.orbitkv.workload.ssd;

import io.orbitkv.api.backing.BackingStatus;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A line for every operation of the measurements of a tier: whose, of which size and phase, when it
 * was due, offered and reported, in nanoseconds of the monotonic clock, and how it ended. One
 * thread.
 */
final class OperationLog implements AutoCloseable {
  private static final String HEADER =
      "round,subject,page_bytes,phase,kind,due_ns,offered_ns,reported_ns,status\n";

  private final BufferedWriter writer;
  private String prefix = "";

  /** Makes the file anew. */
  OperationLog(Path file) throws IOException {
    writer = Files.newBufferedWriter(file);
    writer.write(HEADER);
  }

  /** What the next operations belong to. */
  void begin(int round, String subject, long pageBytes, Phase phase) {
    prefix = round + "," + subject + "," + pageBytes + "," + phase + ",";
  }

  /** The next operations belong to no measurement. */
  void end() {
    prefix = "";
  }

  void ended(boolean read, long dueNanos, long offeredNanos, long nanos, BackingStatus status) {
    if (prefix.isEmpty()) {
      return;
    }
    try {
      writer.write(
          prefix
              + (read ? "read," : "write,")
              + dueNanos
              + ","
              + offeredNanos
              + ","
              + nanos
              + ","
              + status
              + "\n");
    } catch (IOException failed) {
      throw new java.io.UncheckedIOException(
          "--ops-out cannot be written: " + failed.getMessage(), failed);
    }
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }
}
