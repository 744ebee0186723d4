package io.orbitkv.client;

import java.util.concurrent.atomic.LongAdder;

/** Counters of one client. Any thread. */
final class Counters {
  final LongAdder boardAnswers = new LongAdder();
  final LongAdder socketAnswers = new LongAdder();
  final LongAdder asks = new LongAdder();
  final LongAdder operationsWithoutRecord = new LongAdder();
  final LongAdder lateReplies = new LongAdder();
  final LongAdder fenceWarnings = new LongAdder();

  ClientStatistics snapshot() {
    return new ClientStatistics(
        boardAnswers.sum(),
        socketAnswers.sum(),
        asks.sum(),
        operationsWithoutRecord.sum(),
        lateReplies.sum(),
        fenceWarnings.sum());
  }
}
