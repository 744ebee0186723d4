package io.orbitkv.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class SharedDiskTest {
  private final SharedDisk disk = new SharedDisk();

  @Test
  void read_alone_takesItsTimeBehindThoseBefore() {
    disk.read(2);

    assertThat(disk.endOfRead(1)).isCloseTo(3, within(1e-9));
  }

  @Test
  void read_besideWrites_getsHalf() {
    disk.write(10);

    assertThat(disk.endOfRead(1)).isCloseTo(2, within(1e-9));
    disk.read(1);
    disk.advance(2);
    assertThat(disk.reads()).isCloseTo(0, within(1e-9));
    assertThat(disk.writes()).isCloseTo(9, within(1e-9));
  }

  @Test
  void read_longerThanTheWrites_getsAllOnceTheyAreDone() {
    disk.write(1);

    assertThat(disk.endOfRead(3)).isCloseTo(4, within(1e-9));
    assertThat(disk.readBy(4)).isCloseTo(3, within(1e-9));
    assertThat(disk.readBy(1)).isCloseTo(0.5, within(1e-9));
  }
}
