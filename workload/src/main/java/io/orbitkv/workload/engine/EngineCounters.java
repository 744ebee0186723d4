package io.orbitkv.workload.engine;

import io.orbitkv.workload.report.LatencyRecorder;
import java.util.concurrent.atomic.LongAdder;

/** What an engine model counts. Any thread adds; sums are exact once no request is under way. */
public final class EngineCounters {
  /** Requests completed. */
  public final LongAdder requests = new LongAdder();

  /** Requests whose prompt has more pages than the device. */
  public final LongAdder rejected = new LongAdder();

  /** Complete pages of completed requests. Equals hits + restored + computed. */
  public final LongAdder pages = new LongAdder();

  /** Pages found in the device cache. */
  public final LongAdder deviceHits = new LongAdder();

  /** Pages restored. */
  public final LongAdder restored = new LongAdder();

  /** Pages computed. Equals published + resident + dropped + those of failed publishes. */
  public final LongAdder computed = new LongAdder();

  /** Pages that the Manager stored. */
  public final LongAdder published = new LongAdder();

  /** Pages that the Manager had already. */
  public final LongAdder resident = new LongAdder();

  /** Pages that the Manager had no room for. */
  public final LongAdder dropped = new LongAdder();

  /** Restored pages whose bytes were compared. */
  public final LongAdder verified = new LongAdder();

  /** Bytes that differed. */
  public final LongAdder wrongBytes = new LongAdder();

  /** Restores whose lease was gone. */
  public final LongAdder restoreMisses = new LongAdder();

  /** Restores and publishes that failed. */
  public final LongAdder copyFailures = new LongAdder();

  /** Queries and publishes turned away because a table was full. */
  public final LongAdder busy = new LongAdder();

  /** From the submission of a query to its answer. */
  public final LatencyRecorder query = new LatencyRecorder();

  /** From the submission of a restore to its answer. */
  public final LatencyRecorder restore = new LatencyRecorder();

  /** From the submission of a publish to its answer. */
  public final LatencyRecorder publish = new LatencyRecorder();

  /** All zero. */
  public EngineCounters() {}
}
