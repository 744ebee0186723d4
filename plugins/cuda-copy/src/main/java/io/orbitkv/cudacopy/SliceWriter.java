package io.orbitkv.cudacopy;

import io.orbitkv.api.copy.CopyPlan;
import io.orbitkv.api.copy.HostRanges;
import io.orbitkv.api.page.LayerLayout;
import io.orbitkv.api.page.SlotLayout;
import io.orbitkv.cuda.CopyBatch;
import io.orbitkv.cuda.Cuda;
import io.orbitkv.cuda.RowCopy;
import java.util.List;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns slices of plans into calls of the driver. One lane's thread; nothing is allocated for a
 * page or a fragment.
 *
 * <p>Pages that follow each other at equal distances are copied by {@link PageRows}. Of the others,
 * fragments that are adjacent on both sides, in one allocation and in one registered chunk, become
 * one piece. Pieces of equal size that follow each other at equal distances on both sides become
 * the rows of one two-dimensional copy: for small pieces the copy engine is up to five times as
 * fast with those as with single copies, and other work on the GPU is not slowed down as it is by a
 * kernel that scatters.
 */
final class SliceWriter implements SlotLayout.FragmentVisitor {
  /**
   * Copies of the first call on an idle stream. The GPU begins when a call ends, and a copy takes
   * the driver half a microsecond: the engine works on these while the rest is prepared.
   */
  static final int FIRST_CALL_COPIES = 8;

  /** What a row costs the engine on top of its bytes. */
  private static final double ROW_NANOS = 110;

  /** Bytes a nanosecond of a PCIe 5 link. */
  private static final double LINK_RATE = 55;

  /** What it costs the driver at best to hand over one copy of many. */
  private static final double LEAST_COPY_NANOS = 450;

  /** Copies of a call from which on its time says what one costs. */
  private static final int TELLING_COPIES = 64;

  private final Cuda cuda;
  private final long stream;
  private final HostRanges ranges;
  private final CopyBatch batch;
  private final RowCopy rows;
  private final int callCopies;
  private final int minRows;
  private final LongSupplier nanoClock;
  private final @Nullable PageRows pageRows;

  /** Shortest pieces that are not copied as rows in this slice. */
  private long rowLimit;

  /**
   * What it costs to hand over one copy of many, as measured; more when other lanes do the same.
   */
  private double copyNanos = LEAST_COPY_NANOS;

  private boolean rowsUsed;

  private @Nullable CudaMemory memory;
  private boolean toHost;
  private long runAddress;
  private long from;
  private long to;
  private int callLimit;

  // The piece that grows while its neighbours follow; none while its length is 0.
  private long pieceHost;
  private long pieceDevice;
  private long pieceLength;
  private int pieceAllocation;

  // Pieces before it that may become the rows of one copy; none while their count is 0.
  private long rowHost;
  private long rowDevice;
  private long rowLength;
  private int rowAllocation;
  private int rowCount;
  private long hostPitch;
  private long devicePitch;

  /**
   * @param rows of the lane
   * @param callCopies most copies in a call
   * @param minRows fewest rows for a copy in two dimensions; 0 for none of them
   * @param nanoClock times calls of the driver
   */
  SliceWriter(
      Cuda cuda,
      long stream,
      HostRanges ranges,
      CopyBatch batch,
      RowCopy rows,
      int callCopies,
      int minRows,
      LongSupplier nanoClock) {
    this.cuda = cuda;
    this.stream = stream;
    this.ranges = ranges;
    this.batch = batch;
    this.rows = rows;
    this.callCopies = callCopies;
    this.minRows = minRows == 0 ? Integer.MAX_VALUE : Math.max(2, minRows);
    this.nanoClock = nanoClock;
    pageRows = minRows == 0 ? null : new PageRows(cuda, stream, ranges, rows, minRows);
  }

  /**
   * Submits the payload of a plan from byte {@code sliceFrom} to before byte {@code sliceTo}.
   *
   * @param idle whether the stream has nothing to do: then what can be one call is one, whatever
   *     its size, and the GPU begins at once
   * @throws io.orbitkv.cuda.CudaException when the driver refused a call; others are under way
   */
  void submit(PlanRun run, long sliceFrom, long sliceTo, boolean idle) {
    CopyPlan plan = run.plan();
    SlotLayout slot = plan.slot();
    long pageBytes = slot.payloadBytes();
    memory = run.memory();
    toHost = plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
    callLimit = idle ? Math.min(FIRST_CALL_COPIES, callCopies) : callCopies;
    rowLimit = idle ? Long.MAX_VALUE : rowLimit();
    rowsUsed = false;
    // What a refused call left behind belongs to another slice.
    pieceLength = 0;
    rowCount = 0;
    batch.clear();
    int endOfWhole = (int) (sliceTo / pageBytes);
    long page = sliceFrom / pageBytes;
    while (page * pageBytes < sliceTo) {
      if (page * pageBytes >= sliceFrom && pageRows != null) {
        int pages = pageRows.submit(plan, memory, (int) page, endOfWhole, rowLimit);
        if (pages > 0) {
          rowsUsed = true;
          page += pages;
          callLimit = callCopies;
          continue;
        }
      }
      runAddress = plan.hostAddress((int) page);
      from = Math.max(0, sliceFrom - page * pageBytes);
      to = Math.min(pageBytes, sliceTo - page * pageBytes);
      slot.forEachFragment(plan.devicePage((int) page), this);
      page++;
    }
    endPiece();
    endRows();
    flush();
    if (rowsUsed) {
      // Nothing new is known of single copies: believe more and more that they are cheap.
      copyNanos += (LEAST_COPY_NANOS - copyNanos) / 32;
    }
  }

  /**
   * Single copies keep the link busy when one is handed over in the time that the one before takes
   * on the link; shorter ones are better off as rows.
   */
  private long rowLimit() {
    return (long) ((copyNanos - ROW_NANOS) * LINK_RATE);
  }

  /**
   * Submits a whole plan layer by layer, all pages of a layer before the next one.
   *
   * @param layerEnds told of each layer, by its place, when its copies are submitted
   * @throws io.orbitkv.cuda.CudaException when the driver refused a call; others are under way
   */
  void submitLayers(PlanRun run, IntConsumer layerEnds) {
    CopyPlan plan = run.plan();
    List<LayerLayout> layers = plan.slot().layers();
    memory = run.memory();
    toHost = plan.direction() == CopyPlan.Direction.DEVICE_TO_HOST;
    // Few calls, whatever the size: the client hears of its plan when the last one is made.
    rowLimit = Long.MAX_VALUE;
    callLimit = callCopies;
    pieceLength = 0;
    rowCount = 0;
    batch.clear();
    from = 0;
    to = plan.slot().payloadBytes();
    long runOffset = 0;
    for (int i = 0; i < layers.size(); i++) {
      LayerLayout layer = layers.get(i);
      for (int segment = 0; segment < layer.segments(); segment++) {
        for (int page = 0; page < plan.pages(); page++) {
          runAddress = plan.hostAddress(page);
          fragment(runOffset, layer.offset(plan.devicePage(page), segment), layer.segmentBytes());
        }
        runOffset += layer.segmentBytes();
      }
      endPiece();
      endRows();
      flush();
      layerEnds.accept(i);
    }
  }

  /** Adds what the slice has of a fragment. */
  @Override
  public void fragment(long runOffset, long deviceOffset, long bytes) {
    CudaMemory device = Objects.requireNonNull(memory);
    long start = Math.max(runOffset, from);
    long end = Math.min(runOffset + bytes, to);
    while (start < end) {
      long offset = deviceOffset + (start - runOffset);
      int allocation = device.allocationOf(offset);
      long length = Math.min(end - start, device.endOf(allocation) - offset);
      add(runAddress + start, device.address(allocation, offset), length, allocation);
      start += length;
    }
  }

  private void add(long host, long device, long length, int allocation) {
    boolean joins =
        pieceLength > 0
            && host == pieceHost + pieceLength
            && device == pieceDevice + pieceLength
            && allocation == pieceAllocation
            && ranges.inOneChunk(pieceHost, pieceLength + length);
    if (joins) {
      pieceLength += length;
      return;
    }
    endPiece();
    pieceHost = host;
    pieceDevice = device;
    pieceLength = length;
    pieceAllocation = allocation;
  }

  /** The piece grows no more: it is the next row, or the first of others. */
  private void endPiece() {
    if (pieceLength == 0) {
      return;
    }
    if (!isNextRow()) {
      endRows();
      rowHost = pieceHost;
      rowDevice = pieceDevice;
      rowLength = pieceLength;
      rowAllocation = pieceAllocation;
    }
    rowCount++;
    pieceLength = 0;
  }

  private boolean isNextRow() {
    if (rowCount == 0 || pieceLength != rowLength || pieceAllocation != rowAllocation) {
      return false;
    }
    if (rowCount == 1) {
      hostPitch = pieceHost - rowHost;
      devicePitch = pieceDevice - rowDevice;
      return RowCopy.isPitch(hostPitch, rowLength)
          && RowCopy.isPitch(devicePitch, rowLength)
          && ranges.inOneChunk(rowHost, hostPitch + rowLength);
    }
    return pieceHost == rowHost + rowCount * hostPitch
        && pieceDevice == rowDevice + rowCount * devicePitch
        && ranges.inOneChunk(rowHost, rowCount * hostPitch + rowLength);
  }

  /** No more rows follow: they are one copy when there are enough, and single ones otherwise. */
  private void endRows() {
    if (rowCount >= minRows && rowLength < rowLimit) {
      rows.set(
          toHost ? rowHost : rowDevice,
          toHost ? hostPitch : devicePitch,
          toHost ? rowDevice : rowHost,
          toHost ? devicePitch : hostPitch,
          rowLength,
          rowCount);
      cuda.copyRows(rows, stream);
      rowsUsed = true;
      callLimit = callCopies;
    } else {
      for (int row = 0; row < rowCount; row++) {
        copy(rowHost + row * hostPitch, rowDevice + row * devicePitch);
      }
    }
    rowCount = 0;
  }

  private void copy(long host, long device) {
    long target = toHost ? host : device;
    long source = toHost ? device : host;
    if (batch.count() >= callLimit || !batch.add(target, source, rowLength)) {
      flush();
      if (!batch.add(target, source, rowLength)) {
        throw new IllegalStateException("an empty batch has no place for a copy");
      }
    }
  }

  private void flush() {
    if (batch.count() > 0) {
      long startNanos = nanoClock.getAsLong();
      cuda.copy(batch, stream);
      if (batch.count() >= TELLING_COPIES) {
        double nanos = (double) (nanoClock.getAsLong() - startNanos) / batch.count();
        copyNanos += (Math.min(nanos, 10 * LEAST_COPY_NANOS) - copyNanos) / 8;
      }
      batch.clear();
      callLimit = callCopies;
    }
  }
}
