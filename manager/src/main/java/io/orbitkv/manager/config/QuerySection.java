package io.orbitkv.manager.config;

import io.orbitkv.api.settings.ByteSize;
import io.orbitkv.api.settings.Setting;
import io.orbitkv.manager.settings.Share;
import java.time.Duration;

/**
 * Limits of queries.
 *
 * @param budget bytes that all queries may hold
 * @param instanceBudget bytes that the queries of one instance may hold
 * @param readBatch bytes of one read batch, 0 for no limit
 * @param readMaxBatches batches of one query, 0 for no limit
 * @param readTimeout of one query's reads, 0 for none
 * @param readPipeline batches of one query in flight
 * @param onDeadline what a dense query gets when its time to read is over
 */
public record QuerySection(
    @Setting(
            def = "75%",
            doc = "bytes that all queries together may hold; a percentage is of the pool")
        Share budget,
    @Setting(
            def = "auto",
            doc =
                "bytes that the queries of one instance may hold; a percentage is of the budget,"
                    + " auto is the whole budget")
        Share instanceBudget,
    @Setting(def = "0b", doc = "bytes of one batch of reads from a backing tier; 0 is no limit")
        ByteSize readBatch,
    @Setting(
            def = "0",
            min = "0",
            max = "1000000",
            doc = "batches of reads of one query; 0 is no limit")
        int readMaxBatches,
    @Setting(
            def = "0ms",
            max = "1h",
            doc = "time that one query may read, from its submission on; 0 is no limit")
        Duration readTimeout,
    @Setting(def = "2", min = "1", max = "64", doc = "batches of one query that are read at once")
        int readPipeline,
    @Setting(
            def = "miss",
            doc =
                "what a query over one group gets at read-timeout: miss, or hand-over of the prefix"
                    + " that was read; a query over several groups always gets all or nothing")
        OnDeadline onDeadline) {
  /** What a query gets when its time to read is over. */
  public enum OnDeadline {
    /** Nothing. */
    MISS,
    /** The contiguous prefix that was read. */
    HAND_OVER
  }
}
