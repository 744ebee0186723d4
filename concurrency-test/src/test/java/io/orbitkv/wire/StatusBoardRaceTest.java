package io.orbitkv.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.lease.LeaseId;
import io.orbitkv.api.query.AnswerState;
import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.concurrency.Race;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One writer and several readers of the same record, through two mappings of one memory file. */
@Timeout(300)
class StatusBoardRaceTest {
  private static final long EPOCH = 0x5A5A_1234L;
  private static final int WRITES = 400;
  private static final AnswerState[] STATES = AnswerState.values();
  private static final ErrorCode[] ERRORS = ErrorCode.values();

  private StatusBoardWriter writer;
  private StatusBoardReader reader;

  @BeforeEach
  void open() throws IOException {
    writer = StatusBoardWriter.create(EPOCH, 2);
    reader = StatusBoardReader.open(writer.location(), EPOCH);
  }

  @AfterEach
  void close() {
    reader.close();
    writer.close();
  }

  /** Every field of a writing follows from its number, so a mixture of two writings shows. */
  private void write(int record, long operation, int revision, long number) {
    writer.write(
        record,
        operation,
        revision,
        STATES[(int) (number % STATES.length)],
        new LeaseId(~number, number * 31),
        (int) number,
        ERRORS[(int) (number % ERRORS.length)],
        number);
  }

  private static void assertWhole(BoardSnapshot seen) {
    long number = seen.detail();
    assertThat(seen.state()).isEqualTo(STATES[(int) (number % STATES.length)]);
    assertThat(seen.leaseHigh()).isEqualTo(~number);
    assertThat(seen.leaseLow()).isEqualTo(number * 31);
    assertThat(seen.hits()).isEqualTo((int) number);
    assertThat(seen.error()).isEqualTo(ERRORS[(int) (number % ERRORS.length)]);
  }

  @Test
  void read_whileTheRecordIsWritten_isNeverTornAndNeverGoesBack() {
    long[] last = {0};
    Race.play(() -> {
      long first = last[0] + 1;
      last[0] += WRITES;
      return new WrittenRecord(first, last[0]);
    });
  }

  /** A record that two operations use in turn, each under revision 1 and 2. */
  private final class WrittenRecord implements Race.Round {
    private final long first;
    private final long last;
    private volatile boolean written;
    private long seenByOne;
    private long seenByTwo;

    WrittenRecord(long first, long last) {
      this.first = first;
      this.last = last;
    }

    @Override
    public List<Race.Actor> actors() {
      return List.of(this::writeAll, () -> seenByOne = follow(1), () -> seenByTwo = follow(2));
    }

    private void writeAll() {
      for (long number = first; number <= last; number++) {
        write(0, 1 + (number & 1), 1 + (int) (number >> 1 & 1), number);
      }
      written = true;
    }

    private long follow(long operation) {
      BoardSnapshot seen = new BoardSnapshot();
      long latest = 0;
      boolean more = true;
      while (more) {
        more = !written;
        for (int revision = 1; revision <= 2; revision++) {
          if (reader.read(0, operation, revision, seen)) {
            assertWhole(seen);
            assertThat(seen.operation()).isEqualTo(operation);
            assertThat(1 + (seen.detail() & 1)).isEqualTo(operation);
            assertThat(seen.revision()).isEqualTo(revision);
            assertThat(1 + (int) (seen.detail() >> 1 & 1)).isEqualTo(revision);
            assertThat(seen.detail()).isGreaterThanOrEqualTo(latest);
            latest = seen.detail();
          }
        }
      }
      return latest;
    }

    @Override
    public void check() {
      // The last look of each came after the last writing: whoever owns the record then saw it.
      assertThat(1 + (last & 1) == 1 ? seenByOne : seenByTwo).isEqualTo(last);
    }
  }

  @Test
  void record_reusedForAnotherOperation_isNeverTakenForTheFormersAnswer() {
    long[] operations = {10};
    int rounds =
        Race.play(() -> {
          long former = operations[0];
          operations[0] += 2;
          write(1, former, 1, former);
          return new ReusedRecord(former);
        });
    assertThat(rounds).isPositive();
  }

  private final class ReusedRecord implements Race.Round {
    private static final int LOOKS = 60;

    private final long former;
    private final long next;

    ReusedRecord(long former) {
      this.former = former;
      this.next = former + 1;
    }

    @Override
    public List<Race.Actor> actors() {
      return List.of(
          () -> {
            write(1, next, 1, 0);
            write(1, next, 1, next);
          },
          this::lookForFormer,
          this::lookForNext);
    }

    private void lookForFormer() {
      BoardSnapshot seen = new BoardSnapshot();
      boolean there = true;
      for (int i = 0; i < LOOKS; i++) {
        boolean now = reader.read(1, former, 1, seen);
        assertThat(there || !now).as("gone once, gone for ever").isTrue();
        there = now;
        if (now) {
          assertThat(seen.detail()).isEqualTo(former);
          assertWhole(seen);
        }
      }
    }

    private void lookForNext() {
      BoardSnapshot seen = new BoardSnapshot();
      long latest = -1;
      for (int i = 0; i < LOOKS; i++) {
        if (reader.read(1, next, 1, seen)) {
          assertThat(seen.detail()).isIn(0L, next);
          assertThat(seen.detail()).isGreaterThanOrEqualTo(latest);
          assertWhole(seen);
          latest = seen.detail();
        } else {
          assertThat(latest).as("an answer that was seen stays").isEqualTo(-1);
        }
      }
    }

    @Override
    public void check() {
      BoardSnapshot seen = new BoardSnapshot();
      assertThat(reader.read(1, former, 1, seen)).isFalse();
      assertThat(reader.read(1, next, 1, seen)).isTrue();
      assertThat(seen.detail()).isEqualTo(next);
    }
  }

  @Test
  void answer_onTheBoard_comesAfterTheBytesThatItSpeaksOf() throws IOException {
    int words = 512;
    try (SharedMemoryFile worker = SharedMemoryFile.create("race", words * 8L);
        SharedMemoryFile manager =
            SharedMemoryFile.openForeign(
                ProcessHandle.current().pid(), worker.descriptor(), words * 8L)) {
      long[] operation = {1L << 40};
      Race.play(() -> {
        long mine = operation[0]++;
        return new Race.Round() {
          @Override
          public List<Race.Actor> actors() {
            return List.of(
                () -> {
                  fill(manager.segment(), mine);
                  write(0, mine, 1, mine);
                },
                () -> {
                  BoardSnapshot seen = new BoardSnapshot();
                  while (!reader.read(0, mine, 1, seen)) {
                    Thread.onSpinWait();
                  }
                  assertFilled(worker.segment(), mine);
                });
          }

          @Override
          public void check() {}
        };
      });
    }
  }

  private static void fill(MemorySegment memory, long value) {
    for (long at = 0; at < memory.byteSize(); at += Long.BYTES) {
      memory.set(ValueLayout.JAVA_LONG, at, value);
    }
  }

  private static void assertFilled(MemorySegment memory, long value) {
    // Backwards: the last word written is the likeliest to be late.
    for (long at = memory.byteSize() - Long.BYTES; at >= 0; at -= Long.BYTES) {
      if (memory.get(ValueLayout.JAVA_LONG, at) != value) {
        throw new AssertionError("byte [" + at + "] is older than the answer");
      }
    }
  }
}
