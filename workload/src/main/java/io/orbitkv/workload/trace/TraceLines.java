package io.orbitkv.workload.trace;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The lines of a trace, one at a time: one line is in memory. One thread. */
final class TraceLines implements AutoCloseable {
  private static final int BUFFER_BYTES = 1 << 16;

  private final Path file;
  private final InputStream input;
  private byte[] line = new byte[4096];
  private int length;
  private long number;

  private TraceLines(Path file, InputStream input) {
    this.file = file;
    this.input = input;
  }

  /**
   * Opens a file.
   *
   * @throws TraceException when the file is missing, a folder, empty or not readable
   */
  static TraceLines open(Path file) {
    InputStream input = null;
    try {
      if (Files.isDirectory(file)) {
        throw new TraceException("trace [" + file + "] is a folder: name a file of lines", null);
      }
      input = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
      input.mark(1);
      if (input.read() < 0) {
        input.close();
        throw new TraceException(
            "trace [" + file + "] is empty: it needs at least one request", null);
      }
      input.reset();
      return new TraceLines(file, input);
    } catch (NoSuchFileException missing) {
      throw new TraceException("trace [" + file + "] does not exist: check the path", missing);
    } catch (AccessDeniedException denied) {
      throw new TraceException(
          "trace [" + file + "] may not be read: check its permissions", denied);
    } catch (IOException failure) {
      throw new TraceException(
          "trace [" + file + "] cannot be read: " + failure.getMessage(), failure);
    }
  }

  /** Reads up to the next line feed; false at the end of the file. */
  boolean next() {
    try {
      length = 0;
      while (true) {
        int next = input.read();
        if (next == '\n' || (next < 0 && length > 0)) {
          number++;
          return true;
        }
        if (next < 0) {
          return false;
        }
        if (length == TraceLimits.MAX_LINE_BYTES) {
          number++;
          throw at(
              "the line is longer than ["
                  + TraceLimits.MAX_LINE_BYTES
                  + "] bytes: one request a"
                  + " line",
              null);
        }
        if (length == line.length) {
          line = Arrays.copyOf(line, line.length * 2);
        }
        line[length++] = (byte) next;
      }
    } catch (IOException failure) {
      number++;
      throw at("cannot be read: " + failure.getMessage(), failure);
    }
  }

  /** The line read last, in the first {@link #length} bytes; valid until the next one is read. */
  byte[] bytes() {
    return line;
  }

  int length() {
    return length;
  }

  String text() {
    return new String(line, 0, length, StandardCharsets.UTF_8);
  }

  /** Number of the line read last, from 1. */
  long number() {
    return number;
  }

  Path file() {
    return file;
  }

  TraceException at(String problem, @Nullable Throwable cause) {
    return new TraceException("trace [" + file + "] line " + number + ": " + problem, cause);
  }

  @Override
  public void close() {
    try {
      input.close();
    } catch (IOException failure) {
      throw new TraceException(
          "trace [" + file + "] cannot be closed: " + failure.getMessage(), failure);
    }
  }
}
