package io.orbitkv.testkit.memory;

import io.orbitkv.api.copy.DeviceMemoryDescriptor.SharedMemory;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A process of its own that holds a {@link SealedMemory}, and can be killed: for tests of what is
 * left of a worker's memory after the worker died.
 *
 * <p>Closed by whoever started it, which kills it. It also ends by itself when this process does.
 */
public final class SealedMemoryProcess implements AutoCloseable {
  private final Process process;
  private final SharedMemory descriptor;

  private SealedMemoryProcess(Process process, SharedMemory descriptor) {
    this.process = process;
    this.descriptor = descriptor;
  }

  /**
   * Starts the process and returns when its memory exists.
   *
   * @param bytes positive
   * @throws UncheckedIOException when it cannot be started or does not come up
   */
  public static SealedMemoryProcess start(long bytes) {
    String classPath =
        Stream.of(SealedMemoryProcess.class, SharedMemory.class, com.sun.jna.Native.class)
            .map(SealedMemoryProcess::location)
            .distinct()
            .collect(Collectors.joining(java.io.File.pathSeparator));
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-Xmx32m",
                  "--enable-native-access=ALL-UNNAMED",
                  "-cp",
                  classPath,
                  SealedMemoryProcess.class.getName(),
                  Long.toString(bytes))
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      String line;
      // Closed with the process: its other end is what keeps the process alive.
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      line = output.readLine();
      if (line == null) {
        process.destroyForcibly();
        throw new UncheckedIOException(new IOException("the process ended before it had a memory"));
      }
      return new SealedMemoryProcess(
          process, new SharedMemory(process.pid(), Integer.parseInt(line), bytes));
    } catch (IOException refused) {
      throw new UncheckedIOException(refused);
    }
  }

  /** How the process names its memory. */
  public SharedMemory descriptor() {
    return descriptor;
  }

  /** Kills the process without warning and returns when it is gone. */
  public void kill() {
    process.destroyForcibly();
    boolean interrupted = false;
    while (process.isAlive()) {
      try {
        process.waitFor();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    kill();
  }

  /**
   * The process: makes the memory, prints its descriptor and waits for the end of its input.
   *
   * @param arguments the size in bytes
   * @throws IOException when the input cannot be read
   */
  public static void main(String[] arguments) throws IOException {
    try (SealedMemory memory = SealedMemory.create(Long.parseLong(arguments[0]))) {
      System.out.println(memory.fileDescriptor());
      while (System.in.read() >= 0) {
        // Nothing is said to it: only the end counts.
      }
    }
  }

  private static String location(Class<?> type) {
    CodeSource source = type.getProtectionDomain().getCodeSource();
    if (source == null) {
      throw new IllegalStateException("where [" + type.getName() + "] was loaded from is unknown");
    }
    try {
      return Path.of(source.getLocation().toURI()).toString();
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
