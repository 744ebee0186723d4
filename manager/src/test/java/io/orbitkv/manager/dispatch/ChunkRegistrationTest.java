package io.orbitkv.manager.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.kernel.Event;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ChunkRegistrationTest {
  private final FakeCopier copier = new FakeCopier();
  private final PoolProgress progress = new PoolProgress(400);
  private final BlockingQueue<Event> reports = new LinkedBlockingQueue<>();

  @Test
  void touchedChunk_isRegisteredThenReported() throws Exception {
    try (ChunkRegistration chunks =
        new ChunkRegistration(List.of(copier), progress, reports::add)) {
      HostChunk chunk = new HostChunk(2, 4096, 100, -1);
      chunks.touched(chunk);

      assertThat(reports.take()).isEqualTo(new Event.ChunkReady(chunk));
      assertThat(copier.calls.take()).isEqualTo("register 2");
      assertThat(progress.awaitFirst(Duration.ofSeconds(20))).isTrue();
    }
    assertThat(progress.readyPercent()).isEqualTo(25);
    assertThat(progress.readyBytes()).isEqualTo(100);
  }

  @Test
  void copierThatLacksAClass_costsTheChunkAndNoMore() throws Exception {
    copier.missing = new NoClassDefFoundError("planted/Class");
    try (ChunkRegistration chunks =
        new ChunkRegistration(List.of(copier), progress, reports::add)) {
      chunks.touched(new HostChunk(2, 4096, 100, -1));
    }
    assertThat(progress.failedChunks()).isEqualTo(1);
    assertThat(progress.awaitFirst(Duration.ZERO)).isTrue();
    assertThat(reports).isEmpty();
  }

  @Test
  void failedChunk_isCountedAndNotReported() throws Exception {
    try (ChunkRegistration chunks =
        new ChunkRegistration(List.of(copier), progress, reports::add)) {
      assertThat(progress.awaitFirst(Duration.ZERO)).isFalse();
      chunks.failed(new HostChunk(0, 4096, 100, -1), new IllegalStateException("planted"));
    }
    assertThat(progress.failedChunks()).isEqualTo(1);
    assertThat(progress.awaitFirst(Duration.ZERO)).isTrue();
    assertThat(reports).isEmpty();
  }
}
