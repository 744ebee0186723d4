package io.orbitkv.manager.policy;

import io.orbitkv.manager.dispatch.Mailbox;
import io.orbitkv.manager.dispatch.Parker;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The journal's file, written by a thread of its own. What comes faster than it is written is
 * dropped and counted; a file that fails is given up.
 */
final class JournalFile implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JournalFile.class);
  private static final int WAITING_LINES = 8192;
  private static final long PARK_NANOS = 1_000_000_000;
  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final String ASIDE = ".1";

  private final Path file;
  private final long maxBytes;
  private final Parker parker = new Parker();
  private final Mailbox<JournalEntry> lines = new Mailbox<>(WAITING_LINES, parker);
  private final AtomicLong written = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final Thread thread;
  private volatile boolean closing;
  // The thread's alone.
  private @Nullable OutputStream out;
  private long bytes;

  /** Opens the file, at its end. */
  JournalFile(Path file, long maxBytes) throws IOException {
    this.file = file;
    this.maxBytes = maxBytes;
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    out = open();
    bytes = Files.size(file);
    thread = Thread.ofPlatform().name("orbitkv-policy-journal").daemon(true).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Any thread; never blocks. */
  void offer(JournalEntry entry) {
    if (!lines.offer(entry)) {
      dropped.incrementAndGet();
    }
  }

  /** Any thread. Lines in the file. */
  long written() {
    return written.get();
  }

  /** Any thread. Lines that are not, because the file was too slow or failed. */
  long dropped() {
    return dropped.get();
  }

  /** Writes what waits and closes the file. */
  @Override
  public void close() {
    closing = true;
    lines.close();
    try {
      if (!thread.join(PATIENCE)) {
        log.warn("the journal [{}] is not written to its end: the file hangs", file);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    while (true) {
      JournalEntry next = lines.poll();
      if (next != null) {
        write(next);
      } else if (closing && lines.size() == 0) {
        break;
      } else {
        flush();
        parker.await(() -> lines.hasMessage() || closing, PARK_NANOS);
      }
    }
    flush();
    giveUp();
  }

  private void write(JournalEntry entry) {
    OutputStream target = out;
    if (target == null) {
      dropped.incrementAndGet();
      return;
    }
    try {
      byte[] line = (JournalJson.line(entry) + "\n").getBytes(StandardCharsets.UTF_8);
      if (bytes > 0 && bytes + line.length > maxBytes) {
        target.close();
        Files.move(
            file,
            file.resolveSibling(file.getFileName() + ASIDE),
            StandardCopyOption.REPLACE_EXISTING);
        target = open();
        out = target;
        bytes = 0;
      }
      target.write(line);
      bytes += line.length;
      written.incrementAndGet();
    } catch (IOException | RuntimeException failed) {
      fail(failed);
      dropped.incrementAndGet();
    }
  }

  private OutputStream open() throws IOException {
    return new java.io.BufferedOutputStream(
        Files.newOutputStream(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND));
  }

  private void flush() {
    OutputStream target = out;
    if (target == null) {
      return;
    }
    try {
      target.flush();
    } catch (IOException failed) {
      fail(failed);
    }
  }

  private void fail(Exception failed) {
    log.error(
        "the journal [{}] cannot be written and is given up; decisions stay in memory: {}",
        file,
        failed.toString());
    giveUp();
  }

  private void giveUp() {
    OutputStream target = out;
    out = null;
    if (target != null) {
      try {
        target.close();
      } catch (IOException failed) {
        log.debug("the journal [{}] was not closed cleanly", file, failed);
      }
    }
  }
}
