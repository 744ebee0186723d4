package io.orbitkv.ssd.sim.run;

import io.orbitkv.ssd.sim.disk.ModelDisk;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which pages were written where in this life, in the order of the device. */
final class RecordTrail {
  private final DiskMap map;
  private final Map<Long, List<Entry>> bySegment = new HashMap<>();

  /**
   * A page's record.
   *
   * @param header its first block
   * @param page null for one that the store moved
   */
  record Entry(long offset, byte[] header, @Nullable PageLog page, @Nullable Version version) {}

  RecordTrail(DiskMap map) {
    this.map = map;
  }

  /** A segment begins a new pass. */
  void segmentBegins(long offset) {
    bySegment.remove(map.segment(offset));
  }

  void add(Entry entry) {
    bySegment.computeIfAbsent(map.segment(entry.offset()), _ -> new ArrayList<>()).add(entry);
  }

  void clear() {
    bySegment.clear();
  }

  /** Records behind one whose header is not on the device as it was written. */
  List<Entry> behindMismatch(ModelDisk disk) {
    List<Entry> behind = new ArrayList<>();
    for (List<Entry> entries : bySegment.values()) {
      entries.sort(Comparator.comparingLong(Entry::offset));
      boolean mismatch = false;
      for (Entry entry : entries) {
        if (mismatch) {
          behind.add(entry);
        }
        mismatch |=
            !Arrays.equals(disk.peek(entry.offset(), entry.header().length), entry.header());
      }
    }
    return behind;
  }
}
