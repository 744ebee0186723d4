package io.orbitkv.workload.ssd;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** The files that are measured. */
final class BenchFiles implements AutoCloseable {
  private final List<BenchFile> files;
  private final List<String> disks;

  private BenchFiles(List<BenchFile> files, List<String> disks) {
    this.files = files;
    this.disks = disks;
  }

  /**
   * Checks that the files can be made, or may be overwritten. The tier makes them.
   *
   * @param bytes that each will have
   * @param overwrite whether what is in them may be lost
   * @param keep whether they stay; those that were there before always do
   * @throws IllegalArgumentException saying which cannot be used, why, and what to do
   */
  static BenchFiles of(List<Path> paths, long bytes, boolean overwrite, boolean keep)
      throws IOException {
    List<BenchFile> files = new ArrayList<>();
    TreeSet<String> disks = new TreeSet<>();
    Map<FileStore, Long> taken = new HashMap<>();
    for (Path path : paths) {
      // A folder that is not there is refused below.
      Path folder = path.toAbsolutePath().getParent();
      long before = 0;
      if (folder != null && Files.isDirectory(folder)) {
        before = taken.merge(Files.getFileStore(folder), bytes, Long::sum) - bytes;
      }
      files.add(BenchFile.of(path, bytes, before, overwrite, keep));
      disks.add(Disk.under(path));
    }
    return new BenchFiles(files, List.copyOf(disks));
  }

  /** The devices under the files, each once. */
  List<String> disks() {
    return disks;
  }

  /** Makes the files look as if no store had ever been in them. No tier may be open. */
  void forgetStores() throws IOException {
    for (BenchFile file : files) {
      file.forgetStore();
    }
  }

  /** Removes the files, unless they are to stay. */
  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (BenchFile file : files) {
      try {
        file.close();
      } catch (IOException failed) {
        failure = failure == null ? failed : failure;
      }
    }
    if (failure != null) {
      throw failure;
    }
  }
}
