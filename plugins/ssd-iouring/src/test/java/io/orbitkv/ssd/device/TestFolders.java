package io.orbitkv.ssd.device;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the folder of a test can. */
final class TestFolders {
  private TestFolders() {}

  /** Whether direct transfers work in it; the tests run either way. */
  static boolean direct(Path folder) throws IOException {
    String type = Files.getFileStore(folder).type();
    return !type.equals("tmpfs") && !type.equals("ramfs") && !type.equals("overlay");
  }
}
