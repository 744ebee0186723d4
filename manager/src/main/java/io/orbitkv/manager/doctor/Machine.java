package io.orbitkv.manager.doctor;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** What the checks ask of the machine, so that a test can be any machine. */
interface Machine {
  /** Lines of a file; none when it cannot be read. */
  List<String> lines(Path file);

  /** Target of a symbolic link; empty when it cannot be read. */
  String link(Path file);

  /** Release of the running Java. */
  int javaRelease();

  /** Why native code cannot be called; empty when it can. */
  String nativeAccessProblem();

  /**
   * Sets a small ring up and takes it down again.
   *
   * @return 0, or the system's error number
   */
  int ringSetupError();

  /**
   * Writes and reads a block past the page cache, in a file that is gone afterwards.
   *
   * @param folder where the file lies
   * @return bytes of the block
   * @throws IOException when that does not work
   */
  long directBlockBytes(Path folder) throws IOException;
}
