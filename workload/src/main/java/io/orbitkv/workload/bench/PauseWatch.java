package io.orbitkv.workload.bench;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.consumer.RecordingStream;

/**
 * Notes the longest pause of the collector. The management beans tell whole milliseconds only; the
 * flight recorder knows better.
 */
final class PauseWatch implements AutoCloseable {
  private static final String PAUSE = "jdk.GCPhasePause";

  private final RecordingStream stream = new RecordingStream();
  private final AtomicLong longestNanos = new AtomicLong();

  /** From now on pauses are noted. */
  PauseWatch() {
    stream.enable(PAUSE).withThreshold(Duration.ZERO);
    stream.onEvent(
        PAUSE, pause -> longestNanos.accumulateAndGet(pause.getDuration().toNanos(), Math::max));
    stream.startAsync();
  }

  /** Stops noting; the longest pause so far, 0 without any. */
  long stop() {
    boolean _ = stream.stop();
    return longestNanos.get();
  }

  @Override
  public void close() {
    stream.close();
  }
}
