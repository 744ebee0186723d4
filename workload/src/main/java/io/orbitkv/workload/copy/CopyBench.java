package io.orbitkv.workload.copy;

import io.orbitkv.api.copy.CopyOutcome;
import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.CopyPlan.Direction;
import io.orbitkv.api.copy.DeviceCopier;
import io.orbitkv.api.copy.DeviceMemory;
import io.orbitkv.api.copy.DeviceMemoryDescriptor.CudaIpc;
import io.orbitkv.api.memory.HostChunk;
import io.orbitkv.api.memory.MemoryTier;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.cuda.CopyBatch;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.CudaDevice;
import io.orbitkv.cuda.CudaDriver;
import io.orbitkv.cuda.CudaUnavailableException;
import io.orbitkv.cuda.HostMemory;
import io.orbitkv.workload.process.OwnChild;
import io.orbitkv.workload.report.LatencyRecorder;
import io.orbitkv.workload.report.Medians;
import io.orbitkv.workload.report.Percentiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;

/**
 * Copies between pinned host memory and the GPU memory of another process, through the copier that
 * a Manager uses. Beside each throughput stands that of one large pinned copy over the same mapping
 * in the same seconds.
 */
public final class CopyBench {
  private static final int QUEUED_PLANS = 4;
  private static final long PLAN_BYTES = 64L << 20;
  private static final long LINK_BYTES = 512L << 20;
  private static final int CHECKED_FRAGMENTS = 64;
  private static final double NANOS_A_SECOND = 1e9;
  private static final double MICRO = 1e3;

  private final CopyBenchOptions options;
  private final CopySource source;
  private final Child starter;
  private final SplittableRandom random;
  private final AtomicLong plans = new AtomicLong();
  private volatile String progress = "starting";

  /** Starts the process that owns the GPU memory. */
  @FunctionalInterface
  public interface Child {
    /**
     * Starts {@link GpuChild} in a process of its own.
     *
     * @param gpu place among the driver's devices
     * @param bytes to allocate
     */
    OwnChild start(int gpu, long bytes) throws IOException;
  }

  /**
   * @param source of copier and memory
   * @param starter of the other process
   */
  public CopyBench(CopyBenchOptions options, CopySource source, Child starter) {
    this.options = options;
    this.source = source;
    this.starter = starter;
    this.random = new SplittableRandom(options.seed());
  }

  /** Any thread. What is being done, in some words. */
  public String progress() {
    return progress;
  }

  /**
   * Measures.
   *
   * @throws CudaUnavailableException when there is no driver or no GPU
   * @throws IllegalStateException when something is refused, saying what to do
   */
  public CopyBenchResult run() throws IOException, InterruptedException, CudaUnavailableException {
    Cuda cuda = CudaDriver.load();
    CudaDevice device = GpuChild.deviceOf(cuda, options.gpu());
    try (OwnChild child = starter.start(options.gpu(), options.deviceBytes());
        MemoryTier tier = source.memory(options.poolBytes());
        DeviceCopier copier = source.copier()) {
      String[] words = child.line().split(" ", -1);
      CudaIpc descriptor =
          new CudaIpc(
              words[0],
              List.of(new CudaIpc.Allocation(words[1], 0, Long.parseLong(words[2]))),
              List.of());
      progress = "pinning host memory";
      List<HostChunk> chunks = new CopyOnWriteArrayList<>();
      CopyBenchResult.ArenaTimes arena = pin(tier, copier, chunks);
      long context = cuda.retainContext(device.ordinal());
      cuda.makeCurrent(context);
      long mapping = cuda.openMemory(HexFormat.of().parseHex(words[1]));
      try (Link link = new Link(cuda, chunks.getFirst().address(), mapping)) {
        Measurement measurement = new Measurement(copier, descriptor, chunks, link, child);
        List<CopyBenchRow> rows = measurement.throughput();
        Percentiles toDevice = measurement.latency(Direction.HOST_TO_DEVICE);
        Percentiles toHost = measurement.latency(Direction.DEVICE_TO_HOST);
        int wrong = measurement.wrongFragments();
        child.finish();
        return new CopyBenchResult(
            device.name(),
            cuda.driverVersion() / 1000 + "." + cuda.driverVersion() % 1000 / 10,
            rows,
            toDevice,
            toHost,
            CopyBenchOptions.PAGE_BYTES / link.bytesPerNano(Direction.HOST_TO_DEVICE) / MICRO,
            arena,
            CHECKED_FRAGMENTS,
            wrong);
      } finally {
        cuda.closeMemory(mapping);
        cuda.releaseContext(device.ordinal());
      }
    }
  }

  private CopyBenchResult.ArenaTimes pin(
      MemoryTier tier, DeviceCopier copier, List<HostChunk> ready) throws InterruptedException {
    long begin = System.nanoTime();
    CountDownLatch left = new CountDownLatch(tier.chunks().size());
    AtomicLong first = new AtomicLong();
    List<String> failures = new CopyOnWriteArrayList<>();
    Object oneAtATime = new Object();
    tier.prepare(
        new MemoryTier.ChunkListener() {
          @Override
          public void touched(HostChunk chunk) {
            // As the Manager does: one registration at a time, while others are being touched.
            synchronized (oneAtATime) {
              try {
                copier.registerHostMemory(chunk);
                ready.add(chunk);
                first.compareAndSet(0, System.nanoTime() - begin);
              } catch (IllegalStateException refused) {
                failures.add(String.valueOf(refused.getMessage()));
              }
            }
            left.countDown();
          }

          @Override
          public void failed(HostChunk chunk, Throwable cause) {
            failures.add(cause.toString());
            left.countDown();
          }
        });
    left.await();
    if (!failures.isEmpty()) {
      throw new IllegalStateException(failures.getFirst());
    }
    return new CopyBenchResult.ArenaTimes(
        options.poolBytes(),
        first.get() / NANOS_A_SECOND,
        ready.getFirst().bytes(),
        (System.nanoTime() - begin) / NANOS_A_SECOND);
  }

  /** One large copy over the mapping. */
  private static final class Link implements AutoCloseable {
    private final Cuda cuda;
    private final Arena arena = Arena.ofShared();
    private final CopyBatch batch;
    private final long stream;
    private final long host;
    private final long device;

    Link(Cuda cuda, long host, long device) {
      this.cuda = cuda;
      this.host = host;
      this.device = device;
      batch = new CopyBatch(arena, 1);
      stream = cuda.createStream();
    }

    double bytesPerNano(Direction direction) {
      boolean toHost = direction == Direction.DEVICE_TO_HOST;
      batch.clear();
      batch.add(toHost ? host : device, toHost ? device : host, LINK_BYTES);
      long begin = System.nanoTime();
      cuda.copy(batch, stream);
      cuda.synchronizeStream(stream);
      return (double) LINK_BYTES / (System.nanoTime() - begin);
    }

    @Override
    public void close() {
      cuda.destroyStream(stream);
      arena.close();
    }
  }

  /** Measurements on one GPU. */
  private final class Measurement {
    private final DeviceCopier copier;
    private final CudaIpc descriptor;
    private final List<HostChunk> chunks;
    private final Link link;
    private final OwnChild child;

    Measurement(
        DeviceCopier copier,
        CudaIpc descriptor,
        List<HostChunk> chunks,
        Link link,
        OwnChild child) {
      this.copier = copier;
      this.descriptor = descriptor;
      this.chunks = List.copyOf(chunks);
      this.link = link;
      this.child = child;
    }

    List<CopyBenchRow> throughput() throws InterruptedException {
      List<CopyBenchRow> rows = new ArrayList<>();
      for (long fragment : options.fragmentBytes()) {
        int fragments =
            Math.clamp(CopyBenchOptions.PAGE_BYTES / fragment, 1, CopyBenchOptions.PAGE_FRAGMENTS);
        PagePool pool =
            new PagePool(
                options.placement(),
                fragment,
                fragments,
                descriptor.bytes(),
                chunks,
                random.split());
        try (DeviceMemory memory = copier.open(descriptor, pool.layout())) {
          rows.add(row(pool, memory, "to-device", List.of(Direction.HOST_TO_DEVICE)));
          rows.add(row(pool, memory, "to-host", List.of(Direction.DEVICE_TO_HOST)));
          rows.add(
              row(
                  pool,
                  memory,
                  "both",
                  List.of(Direction.HOST_TO_DEVICE, Direction.DEVICE_TO_HOST)));
        }
      }
      return rows;
    }

    private CopyBenchRow row(
        PagePool pool, DeviceMemory memory, String name, List<Direction> directions)
        throws InterruptedException {
      double[] rates = new double[options.rounds()];
      double[] links = new double[options.rounds()];
      double[] ratios = new double[options.rounds()];
      long fragment = pool.slot().layers().getFirst().segmentBytes();
      for (int round = 0; round < options.rounds(); round++) {
        progress = fragment + " bytes " + name + ", round " + (round + 1);
        double before = linkRate(directions);
        rates[round] = load(pool, memory, directions);
        links[round] = (before + linkRate(directions)) / 2;
        ratios[round] = rates[round] / links[round];
      }
      return new CopyBenchRow(
          fragment,
          pool.slot().layers().size(),
          name,
          Medians.of(rates),
          Medians.of(links),
          Medians.of(ratios));
    }

    private double linkRate(List<Direction> directions) {
      double sum = 0;
      for (Direction direction : directions) {
        sum += link.bytesPerNano(direction);
      }
      return sum / directions.size();
    }

    /** Keeps some plans queued in each direction for a while; bytes a nanosecond. */
    private double load(PagePool pool, DeviceMemory memory, List<Direction> directions)
        throws InterruptedException {
      int pages = Math.clamp(PLAN_BYTES / pool.slot().payloadBytes(), 1, pool.slot().devicePages());
      AtomicLong bytes = new AtomicLong();
      List<String> failures = new CopyOnWriteArrayList<>();
      Semaphore[] free = new Semaphore[directions.size()];
      for (int i = 0; i < free.length; i++) {
        free[i] = new Semaphore(QUEUED_PLANS);
      }
      long begin = System.nanoTime();
      long end = begin + options.duration().toNanos();
      List<Thread> drivers = new ArrayList<>();
      for (int i = 0; i < free.length; i++) {
        Direction direction = directions.get(i);
        Semaphore place = free[i];
        drivers.add(
            Thread.ofPlatform()
                .start(() -> drive(pool, memory, direction, pages, place, end, bytes, failures)));
      }
      for (Thread driver : drivers) {
        driver.join();
      }
      double rate = (double) bytes.get() / (System.nanoTime() - begin);
      if (!failures.isEmpty()) {
        throw new IllegalStateException("a copy failed: " + failures.getFirst());
      }
      return rate;
    }

    private void drive(
        PagePool pool,
        DeviceMemory memory,
        Direction direction,
        int pages,
        Semaphore place,
        long end,
        AtomicLong bytes,
        List<String> failures) {
      while (System.nanoTime() < end && failures.isEmpty()) {
        place.acquireUninterruptibly();
        CopyPlan plan;
        synchronized (pool) {
          plan = pool.plan(plans.incrementAndGet(), memory, direction, pages);
        }
        boolean taken =
            copier.submit(
                plan,
                (copied, outcome) -> {
                  if (outcome instanceof CopyOutcome.Done) {
                    bytes.addAndGet(copied.bytes());
                  } else {
                    failures.add(outcome.toString());
                  }
                  place.release();
                });
        if (!taken) {
          throw new IllegalStateException("the copier's queue is full with four plans");
        }
      }
      place.acquireUninterruptibly(QUEUED_PLANS);
    }

    /** Single pages, one after another, from submission to report. */
    Percentiles latency(Direction direction) throws InterruptedException {
      progress = "single pages";
      PagePool pool =
          new PagePool(
              options.placement(),
              CopyBenchOptions.PAGE_BYTES / CopyBenchOptions.PAGE_FRAGMENTS,
              CopyBenchOptions.PAGE_FRAGMENTS,
              descriptor.bytes(),
              chunks,
              random.split());
      LatencyRecorder recorder = new LatencyRecorder();
      try (DeviceMemory memory = copier.open(descriptor, pool.layout())) {
        int warmUp = options.latencyPages() / 10;
        for (int i = 0; i < options.latencyPages() + warmUp; i++) {
          CopyPlan plan = pool.plan(plans.incrementAndGet(), memory, direction, 1);
          long begin = System.nanoTime();
          copyOne(plan);
          if (i >= warmUp) {
            recorder.record(System.nanoTime() - begin);
          }
        }
      }
      return recorder.percentiles(MICRO);
    }

    private void copyOne(CopyPlan plan) throws InterruptedException {
      // Volatile, and looked at without sleeping: the time of a wake-up is not the copier's.
      AtomicLong done = new AtomicLong();
      List<String> failures = new CopyOnWriteArrayList<>();
      boolean taken =
          copier.submit(
              plan,
              (_, outcome) -> {
                if (!(outcome instanceof CopyOutcome.Done)) {
                  failures.add(outcome.toString());
                }
                done.set(1);
              });
      while (taken && done.get() == 0) {
        Thread.onSpinWait();
      }
      if (!taken || !failures.isEmpty()) {
        throw new IllegalStateException("a copy failed: " + failures);
      }
    }

    /** Restores pages of random bytes and has their owner look at some fragments. */
    int wrongFragments() throws IOException, InterruptedException {
      progress = "comparing";
      PagePool pool =
          new PagePool(
              options.placement(),
              CopyBenchOptions.PAGE_BYTES / CopyBenchOptions.PAGE_FRAGMENTS,
              CopyBenchOptions.PAGE_FRAGMENTS,
              descriptor.bytes(),
              chunks,
              random.split());
      int wrong = 0;
      try (DeviceMemory memory = copier.open(descriptor, pool.layout())) {
        int pages = Math.min(16, pool.slot().devicePages());
        CopyPlan plan = pool.plan(plans.incrementAndGet(), memory, Direction.HOST_TO_DEVICE, pages);
        for (int i = 0; i < pages; i++) {
          scribble(plan.hostAddress(i), pool.slot().payloadBytes());
        }
        copyOne(plan);
        for (int i = 0; i < CHECKED_FRAGMENTS; i++) {
          int page = random.nextInt(pages);
          int layer = random.nextInt(CopyBenchOptions.PAGE_FRAGMENTS);
          LayerLayout there = pool.slot().layers().get(layer);
          long host = plan.hostAddress(page) + (long) layer * there.segmentBytes();
          child.say("crc " + there.offset(plan.devicePage(page), 0) + " " + there.segmentBytes());
          wrong += child.line().equals(checksum(host, there.segmentBytes())) ? 0 : 1;
        }
      }
      return wrong;
    }

    private void scribble(long address, long bytes) {
      MemorySegment run = HostMemory.at(address, bytes);
      SplittableRandom content = random.split();
      for (long offset = 0; offset < bytes; offset += Long.BYTES) {
        run.set(ValueLayout.JAVA_LONG, offset, content.nextLong());
      }
    }

    private static String checksum(long address, long bytes) {
      CRC32C crc = new CRC32C();
      crc.update(HostMemory.at(address, bytes).asByteBuffer());
      return Long.toHexString(crc.getValue());
    }
  }
}
