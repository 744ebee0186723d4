package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StatusBoardTest {
  private static final long EPOCH = 0x7766554433221100L;

  @Test
  void read_afterWrite_yieldsEveryField() throws IOException {
    try (StatusBoardWriter writer = StatusBoardWriter.create(EPOCH, 4);
        StatusBoardReader reader = StatusBoardReader.open(writer.location(), EPOCH)) {
      BoardSnapshot snapshot = new BoardSnapshot();
      assertThat(reader.read(3, 9, 2, snapshot)).isFalse();

      writer.write(3, 9, 2, AnswerState.READY, new LeaseId(1, -2), 7, ErrorCode.NONE, 1L << 40);

      assertThat(reader.read(3, 9, 2, snapshot)).isTrue();
      assertThat(snapshot.operation()).isEqualTo(9);
      assertThat(snapshot.revision()).isEqualTo(2);
      assertThat(snapshot.state()).isEqualTo(AnswerState.READY);
      assertThat(snapshot.lease()).isEqualTo(new LeaseId(1, -2));
      assertThat(snapshot.leaseHigh()).isEqualTo(1);
      assertThat(snapshot.leaseLow()).isEqualTo(-2);
      assertThat(snapshot.hits()).isEqualTo(7);
      assertThat(snapshot.error()).isEqualTo(ErrorCode.NONE);
      assertThat(snapshot.detail()).isEqualTo(1L << 40);
      assertThat(reader.records()).isEqualTo(4);
    }
  }

  @Test
  void read_otherOperationOrRevision_seesNothing() throws IOException {
    try (StatusBoardWriter writer = StatusBoardWriter.create(EPOCH, 1);
        StatusBoardReader reader = StatusBoardReader.open(writer.location(), EPOCH)) {
      writer.write(0, 9, 2, AnswerState.MISS, LeaseId.NONE, 0, ErrorCode.NONE, 0);
      BoardSnapshot snapshot = new BoardSnapshot();

      assertThat(reader.read(0, 8, 2, snapshot)).isFalse();
      assertThat(reader.read(0, 9, 1, snapshot)).isFalse();
      assertThat(reader.read(0, 9, 3, snapshot)).isFalse();
      assertThat(snapshot.operation()).isZero();
    }
  }

  @Test
  void read_recordIsBeingWritten_givesUpInBoundedTime() throws IOException {
    // A board whose writer died inside a record: the sequence stays odd for ever.
    try (SealedMemory memory = unfinishedBoard();
        StatusBoardReader reader =
            StatusBoardReader.open(
                new ServerMessage.BoardLocation(
                    ProcessHandle.current().pid(), memory.descriptor(), 1),
                EPOCH)) {
      assertThat(reader.read(0, 9, 1, new BoardSnapshot())).isFalse();
    }
  }

  @Test
  void read_recordOutsideTheBoard_isRefused() throws IOException {
    try (StatusBoardWriter writer = StatusBoardWriter.create(EPOCH, 2);
        StatusBoardReader reader = StatusBoardReader.open(writer.location(), EPOCH)) {
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(() -> reader.read(2, 1, 1, new BoardSnapshot()));
      assertThatExceptionOfType(IndexOutOfBoundsException.class)
          .isThrownBy(
              () -> writer.write(-1, 1, 1, AnswerState.MISS, LeaseId.NONE, 0, ErrorCode.NONE, 0));
    }
  }

  @Test
  void read_whileWriterWrites_isNeverTorn() throws Exception {
    int writes = 300_000;
    AnswerState[] states = AnswerState.values();
    ErrorCode[] errors = ErrorCode.values();
    AtomicBoolean done = new AtomicBoolean();
    try (StatusBoardWriter writer = StatusBoardWriter.create(EPOCH, 1);
        StatusBoardReader reader = StatusBoardReader.open(writer.location(), EPOCH);
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Future<Long>> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        readers.add(
            threads.submit(() -> {
              BoardSnapshot snapshot = new BoardSnapshot();
              long seen = 0;
              while (!done.get() || seen == 0) {
                if (reader.read(0, 5, 1, snapshot)) {
                  seen++;
                  long value = snapshot.detail();
                  int small = (int) value;
                  assertThat(snapshot.leaseHigh()).isEqualTo(value * 31);
                  assertThat(snapshot.leaseLow()).isEqualTo(~value);
                  assertThat(snapshot.hits()).isEqualTo(small);
                  assertThat(snapshot.state()).isEqualTo(states[small % states.length]);
                  assertThat(snapshot.error()).isEqualTo(errors[small % errors.length]);
                }
              }
              return seen;
            }));
      }
      for (int i = 1; i <= writes; i++) {
        writer.write(
            0,
            5,
            1,
            states[i % states.length],
            new LeaseId(i * 31L, ~(long) i),
            i,
            errors[i % errors.length],
            i);
      }
      done.set(true);
      for (Future<Long> future : readers) {
        assertThat(future.get(60, TimeUnit.SECONDS)).isPositive();
      }
    }
  }

  @Test
  void board_openedForWritingByAClient_refusesWritingMappingAndTruncation() throws IOException {
    try (StatusBoardWriter writer = StatusBoardWriter.create(EPOCH, 1);
        StatusBoardReader reader = StatusBoardReader.open(writer.location(), EPOCH)) {
      Path path =
          Path.of("/proc/" + writer.location().pid() + "/fd/" + writer.location().descriptor());
      try (FileChannel channel =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        assertThatIOException()
            .isThrownBy(() -> channel.map(FileChannel.MapMode.READ_WRITE, 0, channel.size()));
        assertThatIOException().isThrownBy(() -> channel.write(ByteBuffer.allocate(8), 0));
        assertThatIOException().isThrownBy(() -> channel.truncate(0));
        assertThatIOException().isThrownBy(() -> channel.write(ByteBuffer.allocate(1), 4096));
      }

      writer.write(0, 1, 1, AnswerState.MISS, LeaseId.NONE, 0, ErrorCode.NONE, 0);
      assertThat(reader.read(0, 1, 1, new BoardSnapshot())).isTrue();
    }
  }

  @Test
  void read_afterTheManagerClosedItsBoard_keepsWhatWasWritten() throws IOException {
    StatusBoardWriter writer = StatusBoardWriter.create(EPOCH, 1);
    try (StatusBoardReader reader = StatusBoardReader.open(writer.location(), EPOCH)) {
      writer.write(0, 1, 1, AnswerState.PUBLISHED, LeaseId.NONE, 3, ErrorCode.NONE, 0);
      writer.close();
      writer.close();

      BoardSnapshot snapshot = new BoardSnapshot();
      assertThat(reader.read(0, 1, 1, snapshot)).isTrue();
      assertThat(snapshot.state()).isEqualTo(AnswerState.PUBLISHED);
    }
  }

  @Test
  void open_boardOfAnotherEpochOrSize_isRefused() throws IOException {
    try (StatusBoardWriter writer = StatusBoardWriter.create(EPOCH, 2)) {
      ServerMessage.BoardLocation location = writer.location();
      assertThatIOException()
          .isThrownBy(() -> StatusBoardReader.open(location, EPOCH + 1))
          .withMessageContaining("not this Manager's status board");
      assertThatIOException()
          .isThrownBy(() ->
              StatusBoardReader.open(
                  new ServerMessage.BoardLocation(location.pid(), location.descriptor(), 3), EPOCH))
          .withMessageContaining("[192] bytes");
    }
  }

  @Test
  void open_descriptorOfNobody_saysWhatToDo() {
    assertThatIOException()
        .isThrownBy(() ->
            StatusBoardReader.open(new ServerMessage.BoardLocation(Long.MAX_VALUE, 3, 1), EPOCH))
        .withMessageContaining("process namespace");
  }

  @Test
  void open_ordinaryFile_isRefusedUnopened(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[128]);
    int descriptor = LibC.openFile(file.toString(), LibC.O_RDWR, 0);
    try {
      assertThatIOException()
          .isThrownBy(() ->
              StatusBoardReader.open(
                  new ServerMessage.BoardLocation(ProcessHandle.current().pid(), descriptor, 1),
                  EPOCH))
          .withMessageContaining("not a memfd");
    } finally {
      LibC.closeDescriptor(descriptor);
    }
  }

  @Test
  void open_memoryWithoutTheWriteSeal_isRefused() throws IOException {
    try (SharedMemoryFile file = SharedMemoryFile.create("not-a-board", 128)) {
      assertThatIOException()
          .isThrownBy(() ->
              StatusBoardReader.open(
                  new ServerMessage.BoardLocation(
                      ProcessHandle.current().pid(), file.descriptor(), 1),
                  EPOCH))
          .withMessageContaining("FUTURE_WRITE");
    }
  }

  private static SealedMemory unfinishedBoard() throws IOException {
    SealedMemory memory =
        SealedMemory.create(
            "orbitkv-board",
            BoardLayout.bytes(1),
            SealedMemory.SEAL_SHRINK | SealedMemory.SEAL_GROW | SealedMemory.SEAL_FUTURE_WRITE);
    memory.segment().set(BoardLayout.LONG, BoardLayout.HEADER_MAGIC, BoardLayout.MAGIC);
    memory.segment().set(BoardLayout.INT, BoardLayout.HEADER_VERSION, BoardLayout.VERSION);
    memory
        .segment()
        .set(BoardLayout.INT, BoardLayout.HEADER_RECORD_BYTES, BoardLayout.RECORD_BYTES);
    memory.segment().set(BoardLayout.LONG, BoardLayout.HEADER_EPOCH, EPOCH);
    memory.segment().set(BoardLayout.INT, BoardLayout.HEADER_RECORDS, 1);
    memory.segment().set(BoardLayout.LONG, BoardLayout.offset(0), 1);
    return memory;
  }
}
