package io.orbitkv.ssd.device;

import io.orbitkv.testkit.TestPluginContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Measures an engine over a file: one line a case with rates, latencies and processor time. A
 * program of its own, since it needs a large file and a quiet machine.
 */
public final class DeviceBenchmark {
  private static final long MB = 1L << 20;

  private final Options options;
  private final BlockingQueue<TransferScheduler.Ended> completions = new LinkedBlockingQueue<>();
  private final Random random = new Random(1);
  private final Map<Transfer, Long> begun = new HashMap<>();
  private final List<Long> readNanos = new ArrayList<>();
  private final List<Long> askedNanos = new ArrayList<>();
  private long readBytes;
  private long writtenBytes;

  private DeviceBenchmark(Options options) {
    this.options = options;
  }

  private record Options(
      Path file,
      String mode,
      long sizeBytes,
      long blockBytes,
      int depth,
      double seconds,
      double warmSeconds,
      double readRate,
      double writeRate,
      DeviceSettings settings) {}

  /**
   * Runs one case.
   *
   * @param arguments key=value: file, mode (read, write, mixed), size, block, depth, seconds, rate
   *     (bytes of reads a second, 0 for closed loop), write-rate (likewise), engine, fixed, share,
   *     request, read-flight, write-flight
   * @throws Exception when the device fails
   */
  public static void main(String[] arguments) throws Exception {
    Map<String, String> given = new HashMap<>();
    for (String argument : arguments) {
      int equals = argument.indexOf('=');
      given.put(argument.substring(0, equals), argument.substring(equals + 1));
    }
    DeviceSettings defaults = DeviceSettings.defaults();
    DeviceSettings settings =
        new DeviceSettings(
            DeviceSettings.Engine.valueOf(given.getOrDefault("engine", "AUTO")),
            DeviceSettings.FixedBuffers.valueOf(given.getOrDefault("fixed", "AUTO")),
            Integer.parseInt(given.getOrDefault("share", "" + defaults.writeSharePercent())),
            Long.parseLong(given.getOrDefault("yield", "" + defaults.yieldNanos())),
            Long.parseLong(given.getOrDefault("beside", "" + defaults.besideBytes())),
            Long.parseLong(given.getOrDefault("request", "" + defaults.requestBytes())),
            Long.parseLong(given.getOrDefault("read-flight", "" + defaults.readBytesInFlight())),
            Long.parseLong(given.getOrDefault("write-flight", "" + defaults.writeBytesInFlight())),
            defaults.readThreads(),
            defaults.writeThreads(),
            given.getOrDefault("log", ""));
    new DeviceBenchmark(
            new Options(
                Path.of(given.get("file")),
                given.getOrDefault("mode", "read"),
                Long.parseLong(given.getOrDefault("size", "" + (4L << 30))),
                Long.parseLong(given.getOrDefault("block", "" + MB)),
                Integer.parseInt(given.getOrDefault("depth", "16")),
                Double.parseDouble(given.getOrDefault("seconds", "4")),
                Double.parseDouble(given.getOrDefault("warm", "2")),
                Double.parseDouble(given.getOrDefault("rate", "0")),
                Double.parseDouble(given.getOrDefault("write-rate", "0")),
                settings))
        .run();
  }

  private void run() throws Exception {
    TestPluginContext context = new TestPluginContext("ssd-iouring");
    try (Arena arena = Arena.ofShared();
        DeviceFile file = DeviceFile.open(options.file, options.sizeBytes, true)) {
      int buffers = options.depth * 2;
      long bytes = buffers * options.blockBytes;
      MemorySegment memory = arena.allocate(bytes, 2 * MB);
      memory.fill((byte) 7);
      List<Span> registered = new ArrayList<>();
      for (long at = 0; at < bytes; at += 1L << 30) {
        registered.add(new Span(memory.address() + at, Math.min(bytes - at, 1L << 30)));
      }
      Devices.Started started =
          Devices.start(
              file,
              options.settings,
              new Devices.Environment(
                  0, registered, context.threads(), System::nanoTime, context.log()),
              (transfer, error) -> completions.add(new TransferScheduler.Ended(transfer, error)));
      try (StoreDevice device = started.device()) {
        // The first round is the compiler's, and is not told.
        measure(device, memory, options.warmSeconds);
        readBytes = 0;
        writtenBytes = 0;
        readNanos.clear();
        askedNanos.clear();
        System.out.println(
            started.choice().engine()
                + " fixed="
                + started.choice().fixedBuffers()
                + " "
                + measure(device, memory, options.seconds));
      }
    }
    context.close();
  }

  private String measure(StoreDevice device, MemorySegment memory, double wantedSeconds)
      throws InterruptedException, IOException {
    Deque<Span> readBuffers = new ArrayDeque<>();
    Deque<Span> writeBuffers = new ArrayDeque<>();
    for (int i = 0; i < options.depth * 2; i++) {
      Span span = new Span(memory.address() + i * options.blockBytes, options.blockBytes);
      (i % 2 == 0 ? readBuffers : writeBuffers).add(span);
    }
    boolean reading = !options.mode.equals("write");
    boolean writing = !options.mode.equals("read");
    long blocks = options.sizeBytes / options.blockBytes / 2 * 2;
    long start = System.nanoTime();
    long processorStart = processorNanos();
    long end = start + (long) (wantedSeconds * 1e9);
    long nextRead = start;
    long nextWrite = start;
    long now = start;
    Deque<Long> arrivals = new ArrayDeque<>();
    long writeBlock = 0;
    while (now < end || !begun.isEmpty()) {
      List<Transfer> batch = new ArrayList<>();
      if (now < end && reading) {
        if (options.readRate == 0) {
          while (!readBuffers.isEmpty()) {
            batch.add(read(readBuffers.poll(), blocks, now));
          }
        } else {
          while (now >= nextRead) {
            arrivals.add(nextRead);
            nextRead += gap(options.readRate);
          }
        }
      }
      while (!arrivals.isEmpty() && !readBuffers.isEmpty()) {
        askedNanos.add(now - arrivals.poll());
        batch.add(read(readBuffers.poll(), blocks, now));
      }
      while (now < end && writing && !writeBuffers.isEmpty() && now >= nextWrite) {
        nextWrite += options.writeRate == 0 ? 0 : gap(options.writeRate);
        // The lower half is read, the upper half written: transfers never overlap.
        long block = blocks / 2 + writeBlock++ % (blocks / 2);
        Transfer transfer =
            new Transfer(
                Transfer.Kind.WRITE, block * options.blockBytes, List.of(writeBuffers.poll()));
        begun.put(transfer, now);
        batch.add(transfer);
      }
      if (!batch.isEmpty()) {
        device.submit(batch);
      }
      long wait = end - now;
      if (reading && options.readRate > 0) {
        wait = Math.min(wait, nextRead - now);
      }
      if (writing && options.writeRate > 0 && !writeBuffers.isEmpty()) {
        wait = Math.min(wait, nextWrite - now);
      }
      TransferScheduler.Ended ended =
          now < end
              ? completions.poll(Math.max(1, wait), TimeUnit.NANOSECONDS)
              : completions.take();
      now = System.nanoTime();
      while (ended != null) {
        if (ended.error() != 0) {
          throw new IOException("error " + ended.error());
        }
        Transfer transfer = ended.transfer();
        long latency = now - begun.remove(transfer);
        if (transfer.kind() == Transfer.Kind.READ) {
          readBytes += transfer.bytes();
          readNanos.add(latency);
          readBuffers.add(transfer.spans().getFirst());
        } else {
          writtenBytes += transfer.bytes();
          writeBuffers.add(transfer.spans().getFirst());
        }
        ended = completions.poll();
      }
    }
    double seconds = (now - start) / 1e9;
    long[] sorted = sorted(readNanos);
    return String.format(
        "%s block=%d depth=%d read %.2f GB/s p50 %.2f p99 %.2f max %.2f ms, write"
            + " %.2f GB/s, processor %.0f ms/GB, p99 from the asking to the"
            + " submission %.2f ms",
        options.mode,
        options.blockBytes,
        options.depth,
        readBytes / seconds / 1e9,
        at(sorted, 0.5),
        at(sorted, 0.99),
        at(sorted, 1),
        writtenBytes / seconds / 1e9,
        (processorNanos() - processorStart) / 1e6 / ((readBytes + writtenBytes) / 1e9),
        at(sorted(askedNanos), 0.99));
  }

  private Transfer read(Span span, long blocks, long arrival) {
    long block = random.nextLong(blocks / 2);
    Transfer transfer = new Transfer(Transfer.Kind.READ, block * options.blockBytes, List.of(span));
    begun.put(transfer, arrival);
    return transfer;
  }

  /** Time to the next arrival; exponential, as of many independent askers. */
  private long gap(double rate) {
    double mean = (double) options.blockBytes / rate * 1e9;
    return (long) (-Math.log(1 - random.nextDouble()) * mean);
  }

  private static long[] sorted(List<Long> values) {
    return values.stream().mapToLong(Long::longValue).sorted().toArray();
  }

  private static double at(long[] sorted, double quantile) {
    return sorted.length == 0
        ? 0
        : sorted[(int) Math.min(sorted.length - 1, quantile * sorted.length)] / 1e6;
  }

  private static long processorNanos() {
    return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }
}
