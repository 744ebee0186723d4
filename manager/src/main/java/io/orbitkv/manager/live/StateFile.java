package io.orbitkv.manager.live;

import io.orbitkv.manager.environment.ReplacedFile;
import io.orbitkv.manager.thread.SerialThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file in which an experiment survives a restart. It is replaced as a whole: whoever reads it
 * finds what was written before or what was written last. Written by a thread of its own.
 */
public final class StateFile implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(StateFile.class);

  /** A thousand blocks have less than half of it. */
  private static final long MOST_BYTES = 64L << 20;

  private final Path file;
  private final SerialThread writer = new SerialThread("orbitkv-experiment");
  private volatile String trouble = "";

  /**
   * Nothing is written before something is to be kept.
   *
   * @param file of the experiment; its folder need not be there yet
   */
  public StateFile(Path file) {
    this.file = file;
  }

  Path file() {
    return file;
  }

  /** Any thread. Why the last state is not in the file; empty when it is. */
  String trouble() {
    return trouble;
  }

  /**
   * Before the first write.
   *
   * @return empty when there is none
   * @throws IllegalArgumentException when it cannot be used, saying why; it is put aside then
   */
  Optional<ExperimentRecord> read() {
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new IllegalArgumentException("it has more than [" + MOST_BYTES + "] bytes");
      }
      return Optional.of(StateJson.parse(Files.readString(file)));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IOException | IllegalArgumentException unusable) {
      throw new IllegalArgumentException(
          "the state of an experiment in ["
              + file
              + "] cannot be used ("
              + unusable.getMessage()
              + "): the experiment is interrupted, the configured policies serve; "
              + putAside()
              + "start it anew with 'orbitkv ab start'",
          unusable);
    }
  }

  private String putAside() {
    Path aside = file.resolveSibling(file.getFileName() + ".unusable");
    try {
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
      return "the file is [" + aside + "] now; ";
    } catch (IOException stays) {
      return "";
    }
  }

  /** Any thread; never waits. The newest state replaces what the file holds. */
  void write(ExperimentRecord record) {
    writer.execute(() -> replace(record));
  }

  /** Any thread; never waits. Does something after what was to be written before. */
  void later(Runnable task) {
    writer.execute(task);
  }

  private void replace(ExperimentRecord record) {
    try {
      ReplacedFile.write(file, StateJson.of(record));
      trouble = "";
    } catch (IOException failed) {
      String message =
          "the state of the experiment cannot be written to ["
              + file
              + "] ("
              + failed
              + "): it goes on and does not survive a restart; make room or name another file"
              + " beside policies.journal.file";
      if (!trouble.equals(message)) {
        log.error(message);
      }
      trouble = message;
    }
  }

  /** Writes what waits. */
  @Override
  public void close() {
    writer.close();
  }
}
