package io.orbitkv.workload.replay;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import io.orbitkv.workload.report.WriteLoss;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;

/**
 * What a replay did to the Manager's backing tier.
 *
 * @param tier its name; empty without one
 * @param engine how it reaches its device; empty when it does not tell
 * @param readBytes brought back into host memory
 * @param writtenBytes that went to the device, for whatever reason
 * @param payloadBytes of the pages written
 * @param dropped pages that were offered and not written, by cause
 * @param degraded why it is degraded at the end; empty when healthy
 */
public record StoreFigures(
    String tier,
    String engine,
    long readBytes,
    long writtenBytes,
    long payloadBytes,
    Map<WriteLoss, Long> dropped,
    String degraded) {
  /** There is no backing tier. */
  public static final StoreFigures NONE = new StoreFigures("", "", 0, 0, 0, Map.of(), "");

  /** Copies the map. */
  public StoreFigures {
    dropped = Map.copyOf(dropped);
  }

  /** What happened between two pictures of a Manager. */
  static StoreFigures between(ManagerFigures before, ManagerFigures after) {
    Map<WriteLoss, Long> dropped = new EnumMap<>(WriteLoss.class);
    for (WriteLoss loss : WriteLoss.values()) {
      dropped.put(loss, after.counter(loss.counter()) - before.counter(loss.counter()));
    }
    return new StoreFigures(
        after.backingTier(),
        after.backingEngine(),
        after.counter("read_bytes") - before.counter("read_bytes"),
        after.deviceWrittenBytes() - before.deviceWrittenBytes(),
        after.payloadWrittenBytes() - before.payloadWrittenBytes(),
        dropped,
        after.backingDegraded());
  }

  /** Bytes written to the device for a byte of payload; 1 when nothing was written. */
  public double writeAmplification() {
    return payloadBytes == 0 ? 1 : (double) writtenBytes / payloadBytes;
  }

  void write(JsonReport report) {
    report
        .field("ssd_engine", engine)
        .field("ssd_read_bytes", readBytes)
        .field("ssd_written_bytes", writtenBytes)
        .field("write_amplification", writeAmplification(), 4)
        .object(
            "ssd_dropped",
            inner -> {
              for (WriteLoss loss : WriteLoss.values()) {
                inner.field(loss.key(), dropped.getOrDefault(loss, 0L));
              }
            })
        .field("ssd_degraded", degraded);
  }

  void write(TextTable table) {
    if (tier.isEmpty()) {
      return;
    }
    table.row(
        "SSD tier",
        Quantity.bytes(readBytes)
            + " read, "
            + Quantity.bytes(writtenBytes)
            + String.format(Locale.ROOT, " written (x %.2f)", writeAmplification())
            + (engine.isEmpty() ? "" : ", engine " + engine));
    long lost = dropped.values().stream().mapToLong(Long::longValue).sum();
    if (lost > 0) {
      StringBuilder causes = new StringBuilder();
      for (WriteLoss loss : WriteLoss.values()) {
        long pages = dropped.getOrDefault(loss, 0L);
        if (pages > 0) {
          causes.append(causes.isEmpty() ? "" : ", ");
          causes.append(Quantity.count(pages)).append(' ').append(loss.words());
        }
      }
      table.row("not written", Quantity.count(lost) + " pages: " + causes);
    }
    if (!degraded.isEmpty()) {
      table.row("SSD DEGRADED", degraded);
    }
  }
}
