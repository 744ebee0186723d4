package io.orbitkv.workload.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A command of this program in a child process that tells what it has done by lines on its standard
 * output and ends when its standard input does, and so with this process at the latest. One thread.
 */
public final class OwnChild implements AutoCloseable {
  private static final int SHOWN_LINES = 10;

  private final Process process;
  private final BufferedReader lines;
  private final Path errors;

  private OwnChild(Process process, Path errors) {
    this.process = process;
    this.errors = errors;
    this.lines =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Starts it.
   *
   * @param arguments of the program
   */
  public static OwnChild start(List<String> arguments) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ManagerProcess.java());
    command.addAll(ManagerProcess.JAVA_OPTIONS);
    command.addAll(ManagerProcess.heapOptions());
    command.addAll(ManagerProcess.program());
    command.addAll(arguments);
    Path errors = Files.createTempFile("orbitkv-child-", ".log");
    try {
      return new OwnChild(
          new ProcessBuilder(command).redirectError(errors.toFile()).start(), errors);
    } catch (IOException failure) {
      Files.deleteIfExists(errors);
      throw failure;
    }
  }

  /**
   * Its next line.
   *
   * @throws IOException when it ended instead, with what it wrote last
   */
  public String line() throws IOException, InterruptedException {
    String line = lines.readLine();
    if (line == null) {
      int status = process.waitFor();
      List<String> wrote = Files.readAllLines(errors);
      throw new IOException(
          String.join(
              "\n",
              wrote.isEmpty()
                  ? List.of("a process of this command ended with status " + status)
                  : wrote.subList(Math.max(0, wrote.size() - SHOWN_LINES), wrote.size())));
    }
    return line;
  }

  /** Gives it a line. */
  public void say(String line) throws IOException {
    OutputStream input = process.getOutputStream();
    input.write((line + "\n").getBytes(StandardCharsets.UTF_8));
    input.flush();
  }

  /** Ends its input and waits until it has ended. */
  public void finish() throws IOException, InterruptedException {
    process.getOutputStream().close();
    int status = process.waitFor();
    if (status != 0) {
      throw new IOException(
          "a process of this command ended with status "
              + status
              + ": "
              + String.join("\n", Files.readAllLines(errors)));
    }
  }

  /** Kills it (SIGKILL), as a crash would, and waits until it is gone. */
  public void kill() throws InterruptedException {
    int _ = process.destroyForcibly().waitFor();
  }

  /** Kills it unless it has ended. */
  @Override
  public void close() throws IOException {
    process.destroyForcibly().onExit().join();
    lines.close();
    Files.deleteIfExists(errors);
  }
}
