package io.orbitkv.ssd.device;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Notes down every request of a device, for finding out what a slow one waited for: kind, place,
 * bytes, when its first transfer arrived, when it was handed out and when it came back, in
 * nanoseconds of the monotonic clock. Off unless the setting {@code request-log} names a file. Kept
 * in memory, so that it disturbs little, and appended to the file when the device is closed.
 * Guarded by the device's lock.
 */
final class RequestLog {
  /** What comes behind so many is counted and not kept. */
  static final int MOST = 1 << 20;

  private static final String HEADER =
      "kind,offset,bytes,transfers,arrival_ns,issued_ns,ended_ns,result,path";
  private static final int FIELDS = 8;
  private static final int FIRST = 1024;

  private final Path file;
  private final Path device;
  private long[] values = new long[FIRST * FIELDS];
  private int count;
  private long left;

  /**
   * @param file that gets the lines
   * @param device whose requests they are
   */
  RequestLog(Path file, Path device) {
    this.file = file;
    this.device = device;
  }

  void ended(Request request, long result, long nowNanos) {
    if (count == MOST) {
      left++;
      return;
    }
    if ((count + 1) * FIELDS > values.length) {
      values = java.util.Arrays.copyOf(values, values.length * 2);
    }
    int at = count * FIELDS;
    values[at] = request.sync() ? 2 : request.lane() == Lane.READ ? 0 : 1;
    values[at + 1] = request.offset();
    values[at + 2] = request.bytes();
    values[at + 3] = request.parts().size();
    values[at + 4] = request.parts().getFirst().transfer().arrivalNanos();
    values[at + 5] = request.issuedNanos();
    values[at + 6] = nowNanos;
    values[at + 7] = result;
    count++;
  }

  /** Appends everything to the file, with a header if the file is new. */
  void write() throws IOException {
    boolean fresh = !Files.exists(file);
    try (BufferedWriter writer =
        Files.newBufferedWriter(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      if (fresh) {
        writer.write(HEADER + "\n");
      }
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < count; i++) {
        int at = i * FIELDS;
        line.setLength(0);
        line.append(
            switch ((int) values[at]) {
              case 0 -> "read";
              case 1 -> "write";
              default -> "sync";
            });
        for (int field = 1; field < FIELDS; field++) {
          line.append(',').append(values[at + field]);
        }
        line.append(',').append(device);
        writer.append(line).append('\n');
      }
      if (left > 0) {
        writer.write("# " + left + " more requests were not kept\n");
      }
    }
  }
}
