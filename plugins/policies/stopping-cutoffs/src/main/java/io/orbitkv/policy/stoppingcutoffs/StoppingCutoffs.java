package io.orbitkv.policy.stoppingcutoffs;

import io.orbitkv.api.policy.CutoffPolicy;
import io.orbitkv.api.policy.EngineFacts;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.Reason;
import io.orbitkv.api.policy.RequestFacts;
import io.orbitkv.api.policy.TierFacts;
import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import java.time.Duration;

/**
 * Stops reads from a backing tier by fixed limits: bytes of a batch, number of batches, time since
 * the submission of the query. For operators who know how long a request may wait, and for
 * experiments; each limit is off at zero, and all are by default.
 *
 * <p>Only further batches are stopped: what was submitted ends on its own and keeps its memory
 * until then. Queries that wait for a producer are never asked about.
 *
 * <p>The stopping controls of the seed documents, which measured no gain from them on one device:
 * they cost recomputation and throughput there.
 */
final class StoppingCutoffs implements CutoffPolicy {
  static final Reason OFF = Reason.of("off");
  static final Reason LIMITED = Reason.of("limited");

  private final ReadLimits limits;

  /**
   * The limits.
   *
   * @param readBatch payload bytes submitted at once
   * @param readTimeout from the submission of the query, waiting for budget included
   * @param readMaxBatches most batches of one query
   * @param onDeadline what the engine gets when the time is over
   */
  public record Settings(
      @Setting(
              def = "0b",
              min = "0b",
              max = "1tb",
              doc = "bytes that one query reads at once; 0: all of its range")
          ByteSize readBatch,
      @Setting(
              def = "0ms",
              min = "0ms",
              max = "1h",
              doc =
                  "time after the submission of a query, waiting for budget included, after which"
                      + " it reads no further batch; 0: none")
          Duration readTimeout,
      @Setting(
              def = "0",
              min = "0",
              max = "1000000",
              doc = "most batches that one query reads; 0: any number")
          int readMaxBatches,
      @Setting(
              def = "miss",
              doc =
                  "what a query gets at read-timeout: miss, or hand-over of the prefix that was"
                      + " read")
          OnDeadline onDeadline) {}

  StoppingCutoffs(Settings settings, PolicyContext context) {
    boolean off =
        settings.readBatch().bytes() == 0
            && settings.readTimeout().isZero()
            && settings.readMaxBatches() == 0;
    limits =
        new ReadLimits(
            settings.readBatch().bytes(),
            settings.readMaxBatches(),
            settings.readTimeout(),
            settings.onDeadline(),
            Integer.MAX_VALUE,
            off ? OFF : LIMITED);
  }

  @Override
  public ReadLimits plan(RequestFacts request, TierFacts source, EngineFacts engine) {
    return limits;
  }
}
