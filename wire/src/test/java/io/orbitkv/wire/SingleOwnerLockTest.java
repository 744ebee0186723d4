package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SingleOwnerLockTest {
  @TempDir private Path folder;

  @Test
  void acquire_free_writesTheOwnerAndHoldsOthersOff() throws IOException {
    Path file = folder.resolve("manager.sock.lock");
    try (SingleOwnerLock first = SingleOwnerLock.acquire(file)) {
      assertThat(first).isNotNull();
      assertThat(Files.readString(file).strip()).isEqualTo("" + ProcessHandle.current().pid());

      assertThatExceptionOfType(AlreadyOwnedException.class)
          .isThrownBy(() -> SingleOwnerLock.acquire(file))
          .satisfies(refused -> {
            assertThat(refused.ownerPid()).isEqualTo(ProcessHandle.current().pid());
            assertThat(refused.path()).isEqualTo(file);
            assertThat(refused).hasMessageContaining("[" + file + "]");
          });
    }
  }

  @Test
  void acquire_afterClose_succeeds() throws IOException {
    Path file = folder.resolve("lock");
    SingleOwnerLock first = SingleOwnerLock.acquire(file);
    first.close();
    first.close();
    try (SingleOwnerLock second = SingleOwnerLock.acquire(file)) {
      assertThat(second).isNotNull();
    }
  }

  @Test
  void acquire_anotherChannelOfTheFileWasClosed_isStillHeldOff() throws IOException {
    Path file = folder.resolve("lock");
    try (SingleOwnerLock first = SingleOwnerLock.acquire(file)) {
      assertThat(first).isNotNull();
      FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE).close();

      assertThatExceptionOfType(AlreadyOwnedException.class)
          .isThrownBy(() -> SingleOwnerLock.acquire(file));
    }
  }

  @Test
  void acquire_leftoverOfADeadOwner_succeedsAndNamesTheNewOwner() throws IOException {
    Path file = Files.writeString(folder.resolve("lock"), "123456789012345678901234567890\n");
    try (SingleOwnerLock lock = SingleOwnerLock.acquire(file)) {
      assertThat(lock).isNotNull();
      assertThat(Files.readString(file)).isEqualTo(ProcessHandle.current().pid() + "\n");
    }
  }

  @Test
  void acquire_folderMissing_saysWhat() {
    assertThatIOException()
        .isThrownBy(() -> SingleOwnerLock.acquire(folder.resolve("missing/lock")))
        .withMessageContaining("missing/lock");
  }
}
