package io.orbitkv.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.orbitkv.api.backing.BackingRead;
import io.orbitkv.api.backing.BackingStatus;
import io.orbitkv.api.backing.BackingWrite;
import io.orbitkv.api.backing.HostRun;
import io.orbitkv.api.backing.StoredKey;
import io.orbitkv.api.page.Namespace;
import io.orbitkv.api.page.PageKey;
import io.orbitkv.testkit.RecordingBackingListener;
import io.orbitkv.testkit.TestPluginContext;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class DeterministicBackingTierTest {
  private static final int BYTES = 4096;

  @TempDir Path folder;
  private final TestPluginContext context = new TestPluginContext("under-test");
  private final ManualBarriers barriers = new ManualBarriers();
  private final RecordingBackingListener told = new RecordingBackingListener();
  private final DeterministicBackingTier tier =
      new DeterministicBackingTier(
          4L * BYTES, 3, BackingScript.behind(barriers), context.threads());
  private final Arena arena = Arena.ofShared();
  private final MemorySegment memory = arena.allocate(16L * BYTES, BYTES);
  private long ticket;

  @AfterEach
  void end() {
    tier.close();
    context.close();
    arena.close();
  }

  @Test
  void putPages_areRecovered() {
    tier.put(key(1), payload(1));
    tier.start(told);
    assertThat(told.findable()).containsEntry(key(1), (long) BYTES);
    assertThat(read(1)).isEqualTo(BackingStatus.DONE);
    assertThat(bytes(1)).isEqualTo(payload(1));
    assertThatIllegalStateException().isThrownBy(() -> tier.start(told));
  }

  @Test
  void pausedReads_holdUpNoWrites() {
    tier.put(key(1), payload(1));
    tier.start(told);
    barriers.arm(Barriers.READ);
    long read = submitRead(1, false);
    barriers.awaitReached(Barriers.READ);
    assertThat(write(2)).isEqualTo(BackingStatus.DONE);
    assertThat(told.reads()).isEmpty();
    assertThat(tier.usage().queuedReadBytes()).isEqualTo(BYTES);

    barriers.release(Barriers.READ);
    assertThat(told.awaitRead(read)).isEqualTo(BackingStatus.DONE);
  }

  @Test
  void reads_beyondTheQueueAreNotTakenAndForegroundGoesFirst() {
    for (int page = 1; page <= 4; page++) {
      tier.put(key(page), payload(page));
    }
    tier.start(told);
    barriers.arm(Barriers.READ);
    long first = submitRead(1, true);
    barriers.awaitReached(Barriers.READ);
    long second = submitRead(2, true);
    long third = submitRead(3, true);
    assertThat(tier.read(List.of(new BackingRead(99, key(4), runs(4), false)))).isZero();
    tier.raise(third);
    barriers.release(Barriers.READ);
    told.awaitRead(second);
    assertThat(told.reads().keySet()).containsExactly(first, third, second);
  }

  @Test
  void plannedEnds_areReportedAndServeNothing() {
    for (BackingStatus status :
        List.of(
            BackingStatus.SHORT,
            BackingStatus.DEVICE_ERROR,
            BackingStatus.UNKNOWN,
            BackingStatus.CORRUPT)) {
      if (status == BackingStatus.SHORT) {
        tier.put(key(1), payload(1));
        tier.start(told);
      }
      barriers.end(Barriers.READ, status);
      memory.fill((byte) 0);
      assertThat(read(1)).isEqualTo(status);
      assertThat(bytes(1)).isNotEqualTo(payload(1));
      barriers.end(Barriers.READ, BackingStatus.DONE);
      assertThat(read(1))
          .isEqualTo(status == BackingStatus.CORRUPT ? BackingStatus.ABSENT : BackingStatus.DONE);
    }
    assertThat(told.lost()).contains(key(1));
  }

  @Test
  void plannedEndsOfWrites_storeNothing() {
    tier.start(told);
    for (BackingStatus status :
        List.of(BackingStatus.FULL, BackingStatus.SHORT, BackingStatus.DEVICE_ERROR)) {
      barriers.end(Barriers.WRITE, status);
      assertThat(write(1)).isEqualTo(status);
      assertThat(tier.stored()).isEmpty();
    }
    assertThat(told.findable()).isEmpty();
  }

  @Test
  void write_beyondTheCapacity_isFull() {
    tier.start(told);
    for (int page = 1; page <= 4; page++) {
      assertThat(write(page)).isEqualTo(BackingStatus.DONE);
    }
    assertThat(write(5)).isEqualTo(BackingStatus.FULL);
    assertThat(write(4)).isEqualTo(BackingStatus.DONE);
    tier.lose(key(1));
    tier.lose(key(1));
    assertThat(told.lost()).containsExactly(key(1));
    assertThat(write(5)).isEqualTo(BackingStatus.DONE);
    assertThat(tier.usage().usedBytes()).isEqualTo(4L * BYTES);
  }

  @Test
  void damagedPage_isFoundOutAndLost() {
    tier.put(key(1), payload(1));
    tier.start(told);
    tier.damage(key(1));
    assertThat(read(1)).isEqualTo(BackingStatus.CORRUPT);
    assertThat(told.lost()).containsExactly(key(1));
    assertThat(read(1)).isEqualTo(BackingStatus.ABSENT);
    assertThatIllegalArgumentException().isThrownBy(() -> tier.damage(key(1)));
  }

  @Test
  void readOfAnotherLength_isShort() {
    tier.put(key(1), new byte[100]);
    tier.start(told);
    assertThat(read(1)).isEqualTo(BackingStatus.SHORT);
  }

  @Test
  void fileBarriers_areArmedAndReleasedByFiles() throws Exception {
    FileBarriers files = new FileBarriers(folder);
    assertThat(files.pass(Barriers.READ)).isEqualTo(BackingStatus.DONE);
    Files.writeString(folder.resolve("read.fail"), "device-error\n");
    assertThat(files.pass(Barriers.READ)).isEqualTo(BackingStatus.DEVICE_ERROR);
    assertThat(files.pass(Barriers.WRITE)).isEqualTo(BackingStatus.DONE);
    Files.writeString(folder.resolve("read.fail"), "");

    Path pause = Files.writeString(folder.resolve("read.pause"), "");
    Path reached = folder.resolve("read.reached");
    Thread passing = Thread.ofPlatform().start(() -> files.pass(Barriers.READ));
    while (!Files.exists(reached)) {
      assertThat(passing.isAlive()).isTrue();
      Thread.onSpinWait();
    }
    Files.delete(pause);
    passing.join();
    assertThat(reached).doesNotExist();
  }

  private BackingStatus read(int page) {
    return told.awaitRead(submitRead(page, false));
  }

  private long submitRead(int page, boolean speculative) {
    long read = ++ticket;
    assertThat(tier.read(List.of(new BackingRead(read, key(page), runs(page), speculative))))
        .isEqualTo(1);
    return read;
  }

  private BackingStatus write(int page) {
    MemorySegment.copy(payload(page), 0, memory, ValueLayout.JAVA_BYTE, (long) page * BYTES, BYTES);
    CRC32C checksum = new CRC32C();
    checksum.update(payload(page));
    long write = ++ticket;
    assertThat(
            tier.write(
                List.of(new BackingWrite(write, key(page), runs(page), (int) checksum.getValue()))))
        .isEqualTo(1);
    return told.awaitWrite(write);
  }

  private byte[] bytes(int page) {
    return memory.asSlice((long) page * BYTES, BYTES).toArray(ValueLayout.JAVA_BYTE);
  }

  private List<HostRun> runs(int page) {
    return List.of(new HostRun(memory.address() + (long) page * BYTES, BYTES, BYTES));
  }

  private static byte[] payload(int page) {
    byte[] payload = new byte[BYTES];
    Arrays.fill(payload, (byte) (page * 37));
    return payload;
  }

  private static StoredKey key(int page) {
    return new StoredKey(new Namespace("12".repeat(32)), 0, new PageKey(page, -page));
  }
}
