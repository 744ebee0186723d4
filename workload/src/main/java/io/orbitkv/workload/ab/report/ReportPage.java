package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.report.ExperimentReport.Run;
import io.orbitkv.workload.ab.report.ExperimentReport.Variant;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.GuardState;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Verdict;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * A report as one page that needs nothing else: no network, no file beside it. It follows the
 * reader's choice of light or dark.
 */
public final class ReportPage {
  private ReportPage() {}

  /** The text of the page. */
  public static String of(ExperimentReport report) {
    StringBuilder page = new StringBuilder();
    page.append("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n")
        .append("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n")
        .append("<meta name=\"color-scheme\" content=\"light dark\">\n")
        // Says what it promises: nothing is loaded from anywhere.
        .append("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';")
        .append(" style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n")
        .append("<title>")
        .append(escape(report.name() + ": " + report.judgement().verdict().text()))
        .append("</title>\n<style>\n")
        .append(resource("uPlot.min.css"))
        .append(resource("page.css"))
        .append("</style>\n</head>\n<body>\n");
    head(report, page);
    effects(report, page);
    charts(report, page);
    variants(report, page);
    runs(report, page);
    notes(report, page);
    page.append("<script type=\"application/json\" id=\"data\">")
        .append(PageCharts.json(report).replace("<", "\\u003c"))
        .append("</script>\n<script>\n/* uPlot\n")
        .append(resource("LICENSE"))
        .append("*/\n")
        .append(resource("uPlot.iife.min.js"))
        .append("\n</script>\n<script>\n")
        .append(resource("page.js"))
        .append("</script>\n</body>\n</html>\n");
    return page.toString();
  }

  private static void head(ExperimentReport report, StringBuilder page) {
    Judgement judgement = report.judgement();
    String kind =
        switch (judgement.verdict()) {
          case A, B -> "winner";
          case EQUIVALENT, NO_DIFFERENCE_SHOWN -> "even";
          case NONE -> "none";
        };
    page.append("<h1>")
        .append(escape(report.name()))
        .append("</h1>\n<p class=\"dim\">")
        .append(escape(report.kind().text() + ", " + report.trace()))
        .append("</p>\n<div class=\"verdict ")
        .append(kind)
        .append("\"><strong>")
        .append(escape(words(judgement.verdict())))
        .append("</strong><p>")
        .append(escape(sentence(judgement.reason())))
        .append("</p>");
    if (judgement.primary().isPresent()) {
      Compared primary = judgement.primary().get();
      page.append("<div class=\"figures\">");
      figure(page, "decided by", primary.measure().key());
      figure(page, "B against A", Figures.change(primary, primary.estimate().effect()));
      figure(page, "interval of " + Figures.confidence(), Figures.interval(primary));
      figure(page, "margin", "± " + report.criteria().marginText());
      if (!report.needed().isEmpty()) {
        figure(page, "it would take", report.needed());
      }
      page.append("</div>");
    }
    page.append("</div>\n");
  }

  private static String words(Verdict verdict) {
    return switch (verdict) {
      case A -> "A is better";
      case B -> "B is better";
      case EQUIVALENT -> "Equivalent";
      case NO_DIFFERENCE_SHOWN -> "No difference shown";
      case NONE -> "No verdict";
    };
  }

  private static void figure(StringBuilder page, String name, String value) {
    page.append("<div><span>")
        .append(escape(name))
        .append("</span>")
        .append(escape(value))
        .append("</div>");
  }

  private static void effects(ExperimentReport report, StringBuilder page) {
    Judgement judgement = report.judgement();
    if (judgement.primary().isEmpty()) {
      return;
    }
    page.append("<h2>Effects</h2>\n").append(EffectPlot.svg(report));
    page.append("<div class=\"scroll\"><table><thead><tr><th>measure</th>")
        .append("<th class=\"number\">A</th><th class=\"number\">B</th>")
        .append("<th class=\"number\">B against A</th><th class=\"number\">")
        .append(Figures.confidence())
        .append(" interval</th><th>role</th></tr></thead><tbody>\n");
    row(page, judgement.primary().get(), "decides", "");
    for (GuardState guard : judgement.guards()) {
      String state =
          switch (guard.state()) {
            case HELD -> "held";
            case UNPROVEN -> "";
            case VIOLATED -> "violated";
          };
      row(
          page,
          guard.compared(),
          "guard " + guard.guard().limitText() + ": " + guard.state().text(),
          state);
    }
    for (int i = 0; i < judgement.exploratory().size(); i++) {
      row(
          page,
          judgement.exploratory().get(i),
          String.format(Locale.ROOT, "exploratory, p %.3f", judgement.adjusted().get(i)),
          "dim");
    }
    page.append("</tbody></table></div>\n<p class=\"dim\">")
        .append(escape(method(judgement)))
        .append(" Exploratory measures have no verdict; their p values are Holm's.</p>\n");
  }

  private static String method(Judgement judgement) {
    return judgement
        .primary()
        .map(primary -> "Interval of the deciding measure: " + primary.estimate().method() + ".")
        .orElse("");
  }

  private static void row(StringBuilder page, Compared compared, String role, String kind) {
    page.append("<tr><td>").append(escape(compared.measure().key())).append("</td>");
    number(page, Figures.value(compared.measure(), compared.a()));
    number(page, Figures.value(compared.measure(), compared.b()));
    number(page, Figures.change(compared, compared.estimate().effect()));
    number(page, Figures.interval(compared));
    page.append("<td class=\"")
        .append(kind)
        .append("\">")
        .append(escape(role))
        .append("</td></tr>\n");
  }

  private static void number(StringBuilder page, String text) {
    page.append("<td class=\"number\">").append(escape(text)).append("</td>");
  }

  private static void charts(ExperimentReport report, StringBuilder page) {
    List<PageCharts.Chart> charts = PageCharts.of(report);
    if (charts.isEmpty()) {
      return;
    }
    page.append("<h2>")
        .append(report.kind() == ExperimentReport.Kind.LIVE ? "Run by run" : "Over time")
        .append("</h2>\n");
    for (PageCharts.Chart chart : charts) {
      page.append("<h3>")
          .append(escape(chart.title()))
          .append("</h3><div class=\"chart\" id=\"")
          .append(chart.id())
          .append("\"></div>\n");
    }
  }

  private static void variants(ExperimentReport report, StringBuilder page) {
    page.append("<h2>Variants</h2>\n<div class=\"pair\">");
    for (Variant variant : report.variants()) {
      page.append("<div><h3><span class=\"")
          .append(variant.arm().name().toLowerCase(Locale.ROOT))
          .append("\">")
          .append(variant.arm())
          .append("</span></h3><pre>")
          .append(escape(variant.policies()))
          .append("</pre></div>");
    }
    page.append("</div>\n<h2>Setup, the same for both</h2>\n<table><tbody>\n");
    report
        .setup()
        .forEach(fact ->
            page.append("<tr><td class=\"dim\">")
                .append(escape(fact.name().replace('_', ' ')))
                .append("</td><td>")
                .append(escape(fact.value()))
                .append("</td></tr>\n"));
    report
        .references()
        .ifPresent(lines ->
            page.append("<tr><td class=\"dim\">prefix hits of the trace</td><td>")
                .append(
                    String.format(
                        Locale.ROOT,
                        "LRU %.4f, clairvoyant bound %.4f, infinite cache %.4f",
                        lines.lru(),
                        lines.clairvoyant(),
                        lines.infinite()))
                .append("</td></tr>\n"));
    page.append("</tbody></table>\n");
  }

  private static void runs(ExperimentReport report, StringBuilder page) {
    page.append("<h2>Voids</h2>\n");
    if (report.voids().isEmpty()) {
      page.append("<p>None.</p>\n");
    } else {
      page.append("<ul>");
      report
          .voids()
          .forEach(line -> page.append("<li class=\"void\">").append(escape(line)).append("</li>"));
      page.append("</ul>\n");
    }
    if (report.kind() != ExperimentReport.Kind.LIVE) {
      return;
    }
    page.append("<h2>Order of runs</h2>\n<p>");
    int pair = -1;
    for (Run run : report.runs()) {
      if (run.pair() != pair) {
        page.append(pair < 0 ? "" : " · ");
        page.append(run.pair() == 0 ? "thrown away " : "");
      }
      pair = run.pair();
      page.append("<span class=\"")
          .append(run.arm().name().toLowerCase(Locale.ROOT))
          .append("\">")
          .append(run.arm())
          .append("</span>")
          .append(run.counts() || run.pair() == 0 ? "" : "<span class=\"void\">✕</span>");
    }
    page.append("</p>\n");
    report
        .orderEffect()
        .ifPresent(effect ->
            report
                .judgement()
                .primary()
                .ifPresent(primary ->
                    page.append("<p class=\"dim\">Going first alone makes ")
                        .append(escape(Figures.change(primary, effect)))
                        .append(
                            " of the effect; the order is balanced, so that it cancels.</p>\n")));
  }

  private static void notes(ExperimentReport report, StringBuilder page) {
    page.append("<h2>What these figures are</h2>\n<ul>");
    report.notes().forEach(note -> page.append("<li>").append(escape(note)).append("</li>"));
    page.append("</ul>\n");
  }

  private static String sentence(String text) {
    return text.isEmpty() ? "" : Character.toUpperCase(text.charAt(0)) + text.substring(1) + ".";
  }

  static String escape(String text) {
    return text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }

  private static String resource(String name) {
    try (InputStream input = ReportPage.class.getResourceAsStream(name)) {
      if (input == null) {
        throw new IllegalStateException(
            "resource [" + name + "] is missing: build the module workload with Maven");
      }
      return new String(input.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
