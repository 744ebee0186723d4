package io.orbitkv.workload.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;

class PagePatternTest {
  private static final EngineGeometry GEOMETRY = new EngineGeometry(64, 64, 4, 8);
  private static final int SEGMENT = GEOMETRY.segmentBytes();

  private final MemorySegment device = Arena.ofAuto().allocate(GEOMETRY.deviceBytes());
  private final PagePattern pattern = new PagePattern(device, GEOMETRY);

  @Test
  void wrongBytes_filledPage_isZero() {
    pattern.fill(3, 11, 12);

    assertThat(pattern.wrongBytes(3, 11, 12)).isZero();
  }

  @Test
  void wrongBytes_otherKey_countsAlmostEveryByte() {
    pattern.fill(3, 11, 12);

    assertThat(pattern.wrongBytes(3, 11, 13)).isGreaterThan(GEOMETRY.pageBytes() * 9 / 10);
    assertThat(pattern.wrongBytes(3, 12, 11)).isGreaterThan(GEOMETRY.pageBytes() * 9 / 10);
  }

  @Test
  void wrongBytes_oneByteChanged_countsOne() {
    pattern.fill(3, 11, 12);
    long offset = GEOMETRY.segmentOffset(3, 2, 1) + 17;
    device.set(
        ValueLayout.JAVA_BYTE, offset, (byte) (device.get(ValueLayout.JAVA_BYTE, offset) ^ 4));

    assertThat(pattern.wrongBytes(3, 11, 12)).isOne();
  }

  @Test
  void wrongBytes_segmentShiftedByOneWord_isDetected() {
    pattern.fill(3, 11, 12);
    long offset = GEOMETRY.segmentOffset(3, 1, 0);
    MemorySegment.copy(device, offset, device, offset + 8, SEGMENT - 8);

    assertThat(pattern.wrongBytes(3, 11, 12)).isGreaterThan(SEGMENT / 2);
  }

  @Test
  void wrongBytes_keysAndValuesSwapped_isDetected() {
    pattern.fill(3, 11, 12);
    byte[] keys =
        device.asSlice(GEOMETRY.segmentOffset(3, 0, 0), SEGMENT).toArray(ValueLayout.JAVA_BYTE);
    MemorySegment.copy(
        device, GEOMETRY.segmentOffset(3, 0, 1), device, GEOMETRY.segmentOffset(3, 0, 0), SEGMENT);
    MemorySegment.copy(
        keys, 0, device, ValueLayout.JAVA_BYTE, GEOMETRY.segmentOffset(3, 0, 1), SEGMENT);

    assertThat(pattern.wrongBytes(3, 11, 12)).isGreaterThan(SEGMENT);
  }

  @Test
  void wrongBytes_copyThatNeverCame_isDetectedEvenOverTheSamePage() {
    pattern.fill(3, 11, 12);
    pattern.poison(3);

    assertThat(pattern.wrongBytes(3, 11, 12)).isGreaterThan(GEOMETRY.pageBytes() * 9 / 10);
  }

  @Test
  void wrongBytes_copyThatStoppedHalfWay_countsTheRest() {
    pattern.fill(3, 11, 12);
    device.asSlice(GEOMETRY.segmentOffset(3, 3, 0), SEGMENT).fill((byte) 0);
    device.asSlice(GEOMETRY.segmentOffset(3, 3, 1), SEGMENT).fill((byte) 0);

    assertThat(pattern.wrongBytes(3, 11, 12)).isBetween(SEGMENT * 2L * 9 / 10, SEGMENT * 2L);
  }

  @Test
  void fill_touchesNoOtherPage() {
    pattern.fill(2, 1, 1);
    pattern.fill(4, 2, 2);
    pattern.fill(3, 11, 12);
    pattern.poison(3);

    assertThat(pattern.wrongBytes(2, 1, 1)).isZero();
    assertThat(pattern.wrongBytes(4, 2, 2)).isZero();
  }
}
