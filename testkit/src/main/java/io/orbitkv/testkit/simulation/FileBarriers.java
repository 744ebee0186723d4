package io.orbitkv.testkit.simulation;

import io.orbitkv.api.backing.BackingStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;

/**
 * Barriers that another process controls through the files of a folder. Any thread.
 *
 * <ul>
 *   <li>{@code <point>.pause} arms the point as long as it is there;
 *   <li>{@code <point>.reached} appears when work waits there, and is gone once it went on;
 *   <li>{@code <point>.fail} holds the name of a {@link BackingStatus}, such as {@code short}: what
 *       becomes of work that passes the point as long as the file is there.
 * </ul>
 */
public final class FileBarriers implements Barriers {
  private static final long LIMIT_NANOS = Duration.ofMinutes(2).toNanos();
  private static final long LOOK_NANOS = 1_000_000;

  private final Path folder;

  /**
   * @param folder that both processes see
   */
  public FileBarriers(Path folder) {
    this.folder = folder;
  }

  /**
   * {@inheritDoc}
   *
   * @throws IllegalStateException when the point stays armed for two minutes, or the thread is
   *     interrupted
   */
  @Override
  public BackingStatus pass(String point) {
    try {
      Path pause = folder.resolve(point + ".pause");
      if (Files.exists(pause)) {
        hold(point, pause);
      }
      return end(folder.resolve(point + ".fail"));
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private void hold(String point, Path pause) throws IOException {
    Path reached = folder.resolve(point + ".reached");
    long start = System.nanoTime();
    Files.writeString(reached, "");
    try {
      while (Files.exists(pause)) {
        if (System.nanoTime() - start > LIMIT_NANOS) {
          throw new IllegalStateException("[" + pause + "] was not removed in two minutes");
        }
        LockSupport.parkNanos(this, LOOK_NANOS);
        if (Thread.interrupted()) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted at [" + point + "]");
        }
      }
    } finally {
      Files.deleteIfExists(reached);
    }
  }

  private static BackingStatus end(Path file) throws IOException {
    String name;
    try {
      name = Files.readString(file).strip();
    } catch (NoSuchFileException normal) {
      return BackingStatus.DONE;
    }
    return name.isEmpty()
        ? BackingStatus.DONE
        : BackingStatus.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
  }
}
