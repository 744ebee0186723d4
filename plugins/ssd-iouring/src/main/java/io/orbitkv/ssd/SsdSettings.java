package io.orbitkv.ssd;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import io.orbitkv.ssd.device.DeviceSettings.Engine;
import io.orbitkv.ssd.device.DeviceSettings.FixedBuffers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Settings of the tier {@code ssd-iouring}.
 *
 * @param paths where the store lies, from {@code ssd.paths}
 * @param capacity of all paths together, from {@code ssd.capacity}
 * @param engine how the device is driven
 * @param direct whether the page cache is passed by
 * @param fixedBuffers whether the arenas are registered with the rings
 * @param segmentSize 0 derives it from the capacity
 * @param reserveSegments kept empty on each path
 * @param reinsertPercent most of a victim that is moved rather than lost
 * @param writesPerDay on the devices of all paths together; 0 for no limit
 * @param writeShare in percent
 * @param writeYield longest wait of a write for a moment without reads
 * @param writeBesideReads most bytes of one request of writes while reads are about
 * @param readInFlight bytes on each path
 * @param writeInFlight bytes on each path
 * @param requestSize most bytes of one request
 * @param mostOpen operations that each path takes at once
 * @param checkThreads 0 for the processors, up to {@link #MAX_AUTOMATIC_CHECKERS}
 * @param ownerChecks largest payload that a store's thread checks itself when nothing else waits
 * @param format whether a file that is no store of ours may be overwritten
 * @param requestLog file for diagnosis, or {@code none}
 */
public record SsdSettings(
    @Setting(def = "[]", doc = "files or block devices; the Manager fills it in from ssd.paths")
        List<String> paths,
    @Setting(
            def = "512gb",
            min = "1mb",
            doc = "size of all paths together; the Manager fills it in from ssd.capacity")
        ByteSize capacity,
    @Setting(
            def = "auto",
            doc =
                "auto takes io-uring where it works and threads elsewhere, and says which and why")
        Engine engine,
    @Setting(
            def = "on",
            doc =
                "on: past the page cache (O_DIRECT); off: through it, for file systems that cannot:"
                    + " slower, and said in log, gauge and doctor")
        Direct direct,
    @Setting(
            def = "auto",
            doc =
                "whether the arenas are registered with the rings; auto does what measured better")
        FixedBuffers fixedBuffers,
    @Setting(
            def = "0b",
            max = "1gb",
            doc = "size of a segment, the unit of eviction; 0 derives it from the capacity")
        ByteSize segmentSize,
    @Setting(def = "2", min = "1", max = "64", doc = "segments that each path keeps empty")
        int reserveSegments,
    @Setting(
            def = "25",
            min = "0",
            max = "90",
            doc =
                "percent of a segment that may be moved on, because it was used, when the rest is"
                    + " evicted")
        int reinsertPercent,
    @Setting(
            def = "0b",
            doc =
                "bytes a day that may be written to the devices, headers and moved pages included;"
                    + " 0 for no limit")
        ByteSize writesPerDay,
    @Setting(
            def = "20",
            min = "1",
            max = "90",
            doc = "percent of the bytes that writes get at least while reads wait")
        int writeShare,
    @Setting(
            def = "20ms",
            min = "0ms",
            max = "1s",
            doc =
                "longest that writes and syncs wait for a moment without reads, unless more wait"
                    + " than write-in-flight; their share holds all the same")
        Duration writeYield,
    @Setting(
            def = "1mb",
            min = "64kb",
            max = "256mb",
            doc = "most bytes of one request of writes while reads are about")
        ByteSize writeBesideReads,
    @Setting(
            def = "16mb",
            min = "64kb",
            doc = "bytes that each path reads at once; more raises latency, not throughput")
        ByteSize readInFlight,
    @Setting(def = "16mb", min = "64kb", doc = "bytes that each path writes at once")
        ByteSize writeInFlight,
    @Setting(
            def = "1mb",
            min = "64kb",
            max = "256mb",
            doc = "most bytes of one request; adjacent pages are merged up to it, larger ones cut")
        ByteSize requestSize,
    @Setting(
            def = "4096",
            min = "16",
            max = "65536",
            doc = "reads and writes that each path takes at once; the Manager holds back the rest")
        int mostOpen,
    @Setting(
            def = "0",
            min = "0",
            max = "64",
            doc = "threads that check pages that were read; 0: as many as processors, up to 4")
        int checkThreads,
    @Setting(
            def = "0b",
            min = "0b",
            max = "64mb",
            doc =
                "largest page whose checksum the store's own thread compares when nothing else"
                    + " waits for it; 0 for none")
        ByteSize ownerChecks,
    @Setting(
            def = "false",
            doc = "overwrite a file or device that is no usable store, after looking at it twice")
        boolean format,
    @Setting(
            def = NO_REQUEST_LOG,
            doc =
                "file that gets a line for each request to the device at the end, for diagnosis;"
                    + " or none")
        String requestLog) {
  /** Most checkers when the number is left to the tier. */
  static final int MAX_AUTOMATIC_CHECKERS = 4;

  private static final long PART_GRANULE_BYTES = 64 << 10;

  /** No file for diagnosis. An empty default would say that the setting is required. */
  static final String NO_REQUEST_LOG = "none";

  /** Whether the page cache is passed by. */
  public enum Direct {
    /** O_DIRECT, or the path is refused. */
    ON,
    /** Through the page cache. */
    OFF
  }

  /** Copies the list. */
  public SsdSettings {
    paths = List.copyOf(paths);
  }

  /** Everything as it is when nothing is set but where and how large. */
  public static SsdSettings of(List<String> paths, ByteSize capacity) {
    return new SsdSettings(
        paths,
        capacity,
        Engine.AUTO,
        Direct.ON,
        FixedBuffers.AUTO,
        new ByteSize(0),
        2,
        25,
        new ByteSize(0),
        20,
        Duration.ofMillis(20),
        new ByteSize(1 << 20),
        new ByteSize(16 << 20),
        new ByteSize(16 << 20),
        new ByteSize(1 << 20),
        4096,
        0,
        new ByteSize(0),
        false,
        NO_REQUEST_LOG);
  }

  /** The same, driven by another engine, or through the page cache. */
  public SsdSettings with(Engine otherEngine, Direct otherDirect) {
    return new SsdSettings(
        paths,
        capacity,
        otherEngine,
        otherDirect,
        fixedBuffers,
        segmentSize,
        reserveSegments,
        reinsertPercent,
        writesPerDay,
        writeShare,
        writeYield,
        writeBesideReads,
        readInFlight,
        writeInFlight,
        requestSize,
        mostOpen,
        checkThreads,
        ownerChecks,
        format,
        requestLog);
  }

  // Whole blocks, of whatever device: the file that is made would be smaller than its capacity
  // else.
  private static long partBytes(long bytes, double share) {
    return Math.max(1, (long) (bytes * share) / PART_GRANULE_BYTES) * PART_GRANULE_BYTES;
  }

  /**
   * Those of a store of its own beside the named paths, with its share of what may be stored and
   * written.
   *
   * @param part from 0; its files end with {@code .cell-} and the number from 1
   * @param share above 0 and below 1
   * @throws IllegalStateException when a path is a device, which no file lies beside
   */
  public SsdSettings part(int part, double share) {
    String suffix = ".cell-" + (part + 1);
    List<String> own = new ArrayList<>();
    for (String path : paths) {
      if (Files.exists(Path.of(path)) && !Files.isRegularFile(Path.of(path))) {
        throw new IllegalStateException(
            "ssd.paths: ["
                + path
                + "] is no file, and only files can be divided, into [path].cell-1 and"
                + " [path].cell-2: name files, or compare without isolation: partition");
      }
      own.add(path + suffix);
    }
    return new SsdSettings(
        own,
        new ByteSize(partBytes(capacity.bytes(), share)),
        engine,
        direct,
        fixedBuffers,
        segmentSize,
        reserveSegments,
        reinsertPercent,
        // Never 0, which would be no limit.
        writesPerDay.bytes() == 0
            ? writesPerDay
            : new ByteSize(Math.max(1, (long) (writesPerDay.bytes() * share))),
        writeShare,
        writeYield,
        writeBesideReads,
        readInFlight,
        writeInFlight,
        requestSize,
        mostOpen,
        checkThreads,
        ownerChecks,
        format,
        requestLogFile().isEmpty() ? requestLog : requestLog + suffix);
  }

  /** Bytes of each path. */
  long capacityOfAPath() {
    return capacity.bytes() / Math.max(1, paths.size());
  }

  /** The file for diagnosis; empty for none. */
  String requestLogFile() {
    return requestLog.equals(NO_REQUEST_LOG) ? "" : requestLog;
  }

  /** The number of checkers to start on this machine. */
  int checkers() {
    return checkThreads > 0
        ? checkThreads
        : Math.clamp(Runtime.getRuntime().availableProcessors(), 1, MAX_AUTOMATIC_CHECKERS);
  }
}
