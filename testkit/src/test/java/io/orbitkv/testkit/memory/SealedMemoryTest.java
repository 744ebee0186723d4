package io.orbitkv.testkit.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class SealedMemoryTest {
  @Test
  void writeAndRead_itsBytes_areThoseOfTheFile() throws IOException {
    try (SealedMemory memory = SealedMemory.create(8192)) {
      memory.write(4096, MemorySegment.ofArray(new byte[] {1, 2, 3}));
      byte[] read = new byte[3];
      memory.read(4096, MemorySegment.ofArray(read));
      assertThat(read).containsExactly(1, 2, 3);
      assertThat(memory.segment().get(ValueLayout.JAVA_BYTE, 4098)).isEqualTo((byte) 3);
      try (RandomAccessFile file = open(memory)) {
        assertThat(file.length()).isEqualTo(8192);
        file.seek(4097);
        assertThat(file.read()).isEqualTo(2);
      }
    }
  }

  @Test
  void truncate_sealedFile_isRefusedByTheSystem() throws IOException {
    try (SealedMemory memory = SealedMemory.create(8192);
        RandomAccessFile file = open(memory)) {
      assertThatThrownBy(() -> file.setLength(4096)).isInstanceOf(IOException.class);
      assertThatThrownBy(() -> file.setLength(16384)).isInstanceOf(IOException.class);
    }
  }

  @Test
  void segment_afterClose_isRefused() {
    SealedMemory memory = SealedMemory.create(4096);
    memory.close();
    memory.close();

    assertThatThrownBy(memory::segment).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void process_started_holdsAMemoryOfItsOwnUntilItIsKilled() {
    try (SealedMemoryProcess process = SealedMemoryProcess.start(4096)) {
      assertThat(process.descriptor().pid()).isNotEqualTo(ProcessHandle.current().pid());
      assertThat(process.descriptor().bytes()).isEqualTo(4096);
      assertThat(ProcessHandle.of(process.descriptor().pid())).isPresent();
      process.kill();
      assertThat(ProcessHandle.of(process.descriptor().pid()).filter(ProcessHandle::isAlive))
          .isEmpty();
    }
  }

  private static RandomAccessFile open(SealedMemory memory) throws IOException {
    return new RandomAccessFile(
        "/proc/" + memory.descriptor().pid() + "/fd/" + memory.fileDescriptor(), "rw");
  }
}
