package io.orbitkv.workload.ssd;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Medians;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * What the lives of Managers showed that were killed.
 *
 * @param options what was done
 * @param killsAtStart kills beside those, of Managers that were starting
 * @param begunChains that were published, with an acknowledgement or without
 * @param acknowledgedChains of them
 * @param lives one more than kills under load
 */
public record KillLoopResult(
    KillLoop.Options options,
    int killsAtStart,
    int begunChains,
    int acknowledgedChains,
    List<KillLife> lives) {
  /** Copies the lives. */
  public KillLoopResult {
    lives = List.copyOf(lives);
  }

  /** Whether no byte was wrong and nothing was found that nobody published. */
  public boolean sound() {
    return wrongBytes() == 0 && strangePages() == 0;
  }

  /** Bytes that were not those of their page. */
  public long wrongBytes() {
    return sum(KillLife::wrongBytes);
  }

  /** Pages that were found although nobody published them. */
  public long strangePages() {
    return sum(KillLife::strangePages);
  }

  /** Pages that had been written before a kill and were not recovered after it. */
  public long lostPages() {
    return sum(KillLife::lostPages);
  }

  private long sum(ToLongFunction<KillLife> figure) {
    return lives.stream().mapToLong(figure).sum();
  }

  private double medianStartSeconds() {
    return Medians.of(lives.stream().mapToDouble(KillLife::startSeconds).toArray());
  }

  private double longestStartSeconds() {
    return lives.stream().mapToDouble(KillLife::startSeconds).max().orElse(0);
  }

  /** One JSON object. */
  public String json() {
    return JsonReport.object(report ->
        report
            .field("kills", lives.size() - 1L + killsAtStart)
            .field("kills_at_start", killsAtStart)
            .field("published_pages", sum(KillLife::publishedPages))
            .field("begun_chains", begunChains)
            .field("acknowledged_chains", acknowledgedChains)
            .field("recovered_pages", sum(KillLife::recoveredPages))
            .field("found_pages", sum(KillLife::foundPages))
            .field("unreadable_pages", sum(KillLife::unreadablePages))
            .field("restored_pages", sum(KillLife::restoredPages))
            .field("wrong_bytes", wrongBytes())
            .field("unpublished_pages", strangePages())
            .field("lost_pages", lostPages())
            .field("start_seconds", medianStartSeconds(), 3)
            .field("longest_start_seconds", longestStartSeconds(), 3)
            .field("file_bytes", options.bytes())
            .field("seed", options.seed())
            .objects("lives", lives, KillLoopResult::fields));
  }

  private static void fields(JsonReport report, KillLife life) {
    report
        .field("start_seconds", life.startSeconds(), 3)
        .field("stored_before_pages", life.storedBeforePages())
        .field("slack_pages", life.slackPages())
        .field("recovered_pages", life.recoveredPages())
        .field("found_pages", life.foundPages())
        .field("unreadable_pages", life.unreadablePages())
        .field("restored_pages", life.restoredPages())
        .field("wrong_bytes", life.wrongBytes())
        .field("unpublished_pages", life.strangePages())
        .field("lost_pages", life.lostPages())
        .field("published_pages", life.publishedPages())
        .field("killed_after_ms", life.killMillis());
  }

  /** A table for people. */
  public String table() {
    return new TextTable()
        .row(
            "kills",
            String.format(
                Locale.ROOT, "%d under load, %d while starting", lives.size() - 1, killsAtStart))
        .row("published", Quantity.count(sum(KillLife::publishedPages)) + " pages")
        .row(
            "recovered",
            Quantity.count(sum(KillLife::recoveredPages))
                + " pages, of which "
                + Quantity.count(sum(KillLife::foundPages))
                + " were found by queries")
        .row(
            "restored",
            Quantity.count(sum(KillLife::restoredPages))
                + " pages, "
                + Quantity.count(wrongBytes())
                + " wrong bytes")
        .row("never published", Quantity.count(strangePages()) + " pages")
        .row("written, then lost", Quantity.count(lostPages()) + " pages")
        .row(
            "start",
            String.format(
                Locale.ROOT, "%.3f s, at most %.3f s", medianStartSeconds(), longestStartSeconds()))
        .text();
  }

  /** Collects lives. One thread. */
  static final class Collector {
    private final KillLoop.Options options;
    private final List<KillLife> lives = new ArrayList<>();
    private int killsAtStart;
    private int checkedChains;

    Collector(KillLoop.Options options) {
      this.options = options;
    }

    void add(KillLife life) {
      lives.add(life);
    }

    void killedWhileStarting() {
      killsAtStart++;
    }

    /** All chains below were looked at. */
    void checked(int chains) {
      checkedChains = chains;
    }

    /** Whether a chain was begun since the last check. */
    boolean mayBePresent(int chain) {
      return chain >= checkedChains;
    }

    double longestStartSeconds() {
      return lives.stream().mapToDouble(KillLife::startSeconds).max().orElse(0);
    }

    KillLoopResult result(int begunChains, int acknowledgedChains) {
      return new KillLoopResult(options, killsAtStart, begunChains, acknowledgedChains, lives);
    }
  }
}
