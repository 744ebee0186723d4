package io.orbitkv.cli;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Files that a command writes its result to. */
final class OutputFile {
  private OutputFile() {}

  /**
   * Before the work whose result the file is to hold: finds out whether it can be written. Leaves
   * no file, and one that is there as it is.
   *
   * @param option that names the file
   */
  static void requireWritable(String option, Path file) {
    if (Files.isDirectory(file)) {
      throw CommandException.usage(option + " [" + file + "] is a folder: name a file");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      return; // A pipe or a terminal; opening it may wait for its reader.
    }
    Path folder = file.toAbsolutePath().getParent();
    if (folder == null || !Files.isDirectory(folder)) {
      throw CommandException.usage(
          option + " [" + file + "] cannot be written: its folder does not exist");
    }
    try {
      if (Files.exists(file)) {
        Files.newByteChannel(file, StandardOpenOption.WRITE).close();
      } else {
        Files.createFile(file);
        Files.delete(file);
      }
    } catch (IOException refused) {
      throw CommandException.usage(
          option
              + " ["
              + file
              + "] cannot be written: "
              + reason(refused)
              + "; name a file in a folder of yours");
    }
  }

  /**
   * Writes a file. What was written of it before a failure is removed, so that nobody takes it for
   * a result.
   *
   * @param option that names the file
   */
  static void write(String option, Path file, Content content) {
    try {
      content.write(file);
    } catch (IOException failed) {
      throw CommandException.failure(
          option
              + " ["
              + file
              + "] cannot be written: "
              + reason(failed)
              + "; make room there or name another file"
              + (removed(file) ? "" : ", and remove what is left of this one"),
          failed);
    }
  }

  private static boolean removed(Path file) {
    try {
      if (Files.isRegularFile(file)) {
        Files.delete(file);
      }
      return true;
    } catch (IOException left) {
      return false;
    }
  }

  private static String reason(IOException problem) {
    if (problem instanceof FileSystemException file) {
      return Errors.reason(file);
    }
    return String.valueOf(problem.getMessage());
  }

  /** What is in it. */
  @FunctionalInterface
  interface Content {
    void write(Path file) throws IOException;
  }
}
