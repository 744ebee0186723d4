package io.orbitkv.manager.dispatch;

import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.kernel.Event;
import io.orbitkv.manager.thread.SerialThread;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes each touched chunk of the memory tier, registers it with every copier on a thread of its
 * own, and tells the kernel that it can be used. One report a chunk, so the reports on their way
 * are limited by the number of chunks.
 */
public final class ChunkRegistration implements MemoryTier.ChunkListener, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ChunkRegistration.class);

  private final SerialThread thread = new SerialThread("orbitkv-registration");
  private final List<DeviceCopier> copiers;
  private final PoolProgress progress;
  private final Consumer<Event> reports;

  /** Starts the thread. */
  public ChunkRegistration(
      List<DeviceCopier> copiers, PoolProgress progress, Consumer<Event> reports) {
    this.copiers = List.copyOf(copiers);
    this.progress = progress;
    this.reports = reports;
  }

  @Override
  public void touched(HostChunk chunk) {
    thread.execute(() -> register(chunk));
  }

  @Override
  public void failed(HostChunk chunk, Throwable cause) {
    progress.failed();
    log.error(
        "chunk [{}] of [{}] bytes cannot be used, the pool stays smaller: {}",
        chunk.index(),
        chunk.bytes(),
        cause.toString());
  }

  /** Boot thread. Finishes what was touched before and ends the thread. */
  @Override
  public void close() {
    thread.close();
  }

  private void register(HostChunk chunk) {
    try {
      for (DeviceCopier copier : copiers) {
        copier.registerHostMemory(chunk);
      }
    } catch (Throwable refused) {
      // Of whatever kind: nobody else hears of it, and the start waits for the first chunk.
      failed(chunk, refused);
      return;
    }
    reports.accept(new Event.ChunkReady(chunk));
    progress.ready(chunk.bytes());
  }
}
