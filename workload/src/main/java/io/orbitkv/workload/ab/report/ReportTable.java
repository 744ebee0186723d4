package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.report.ExperimentReport.Variant;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.GuardState;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.report.ColumnTable;
import io.orbitkv.workload.report.TextTable;
import java.util.Locale;

/** A report for a terminal. */
public final class ReportTable {
  private ReportTable() {}

  /** The text; each line ends with a line feed. */
  public static String of(ExperimentReport report) {
    Judgement judgement = report.judgement();
    TextTable head = new TextTable();
    head.row("verdict", judgement.verdict().text() + ": " + judgement.reason());
    if (!report.needed().isEmpty()) {
      head.row("it would take", report.needed());
    }
    head.row("trace", report.trace());
    report.setup().forEach(fact -> head.row(fact.name().replace('_', ' '), fact.value()));
    for (Variant variant : report.variants()) {
      head.row("policies of " + variant.arm(), variant.policies().replaceAll("\\s+", " "));
    }
    report
        .references()
        .ifPresent(lines ->
            head.row(
                "prefix hits",
                String.format(
                    Locale.ROOT,
                    "LRU %.4f, clairvoyant %.4f, infinite %.4f",
                    lines.lru(),
                    lines.clairvoyant(),
                    lines.infinite())));
    StringBuilder text = new StringBuilder(head.text());
    if (judgement.primary().isPresent()) {
      text.append('\n').append(effects(judgement));
    }
    if (!report.voids().isEmpty()) {
      text.append(
          report.kind() == ExperimentReport.Kind.TRAFFIC
              ? "\n  blocks that do not count\n"
              : "\n  pairs that do not count\n");
      report.voids().forEach(line -> text.append("    ").append(line).append('\n'));
    }
    text.append('\n');
    report.notes().forEach(line -> text.append("  ").append(line).append('\n'));
    return text.toString();
  }

  private static String effects(Judgement judgement) {
    ColumnTable table =
        new ColumnTable("measure", "A", "B", "B against A", Figures.confidence(), "role");
    judgement.primary().ifPresent(primary -> row(table, primary, "decides"));
    for (GuardState guard : judgement.guards()) {
      row(
          table,
          guard.compared(),
          "guard " + guard.guard().limitText() + " " + guard.state().text());
    }
    for (int i = 0; i < judgement.exploratory().size(); i++) {
      row(
          table,
          judgement.exploratory().get(i),
          String.format(Locale.ROOT, "p %.3f (Holm)", judgement.adjusted().get(i)));
    }
    return table.text();
  }

  private static void row(ColumnTable table, Compared compared, String role) {
    table.row(
        compared.measure().key(),
        Figures.value(compared.measure(), compared.a()),
        Figures.value(compared.measure(), compared.b()),
        Figures.change(compared, compared.estimate().effect()),
        Figures.interval(compared),
        role);
  }
}
