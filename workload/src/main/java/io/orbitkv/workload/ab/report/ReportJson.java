package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.report.ExperimentReport.Variant;
import io.orbitkv.workload.ab.statistics.Interval;
import io.orbitkv.workload.ab.verdict.Compared;
import io.orbitkv.workload.ab.verdict.GuardState;
import io.orbitkv.workload.ab.verdict.Judgement;
import io.orbitkv.workload.ab.verdict.Measure;
import io.orbitkv.workload.report.JsonReport;
import java.util.Map;
import java.util.Optional;

/** A report as one JSON object. */
public final class ReportJson {
  private static final int DIGITS = 9;

  private ReportJson() {}

  /** The text; no line feed at the end. */
  public static String of(ExperimentReport report) {
    return JsonReport.object(json -> write(report, json));
  }

  private static void write(ExperimentReport report, JsonReport json) {
    Judgement judgement = report.judgement();
    json.field("name", report.name())
        .field("kind", report.kind().text())
        .field("trace", report.trace())
        .field("verdict", judgement.verdict().text())
        .field("reason", judgement.reason())
        .field("needed", report.needed());
    report
        .references()
        .ifPresent(lines ->
            json.field("lru", lines.lru(), 6)
                .field("clairvoyant", lines.clairvoyant(), 6)
                .field("infinite", lines.infinite(), 6));
    json.object(
        "variants",
        inner -> {
          for (Variant variant : report.variants()) {
            inner.object(variant.arm().name(), one -> variant(variant, one));
          }
        });
    json.field("margin", report.criteria().margin(), DIGITS);
    judgement.primary().ifPresent(primary -> json.object("primary", one -> compared(primary, one)));
    json.objects("guards", judgement.guards(), ReportJson::guard);
    json.object(
        "exploratory",
        inner -> {
          for (int i = 0; i < judgement.exploratory().size(); i++) {
            Compared one = judgement.exploratory().get(i);
            double adjusted = judgement.adjusted().get(i);
            inner.object(
                one.measure().key(),
                fields -> {
                  compared(one, fields);
                  fields.field("p_holm", adjusted, 6);
                });
          }
        });
    report.orderEffect().ifPresent(effect -> json.field("order_effect", effect, DIGITS));
    json.texts("voids", report.voids())
        .texts("notes", report.notes())
        .object(
            "setup",
            inner -> report.setup().forEach(fact -> inner.field(fact.name(), fact.value())))
        .objects(
            "runs",
            report.runs(),
            (one, run) -> {
              one.field("run", run.index())
                  .field("pair", run.pair())
                  .field("order", run.order())
                  .field("arm", run.arm().name())
                  .field("counts", run.counts());
              values(run.values(), one);
            });
  }

  private static void variant(Variant variant, JsonReport json) {
    values(variant.totals(), json);
    json.field("policies", variant.policies());
  }

  private static void guard(JsonReport json, GuardState guard) {
    json.field("guard", guard.guard().limitText()).field("state", guard.state().text());
    compared(guard.compared(), json);
  }

  private static void compared(Compared compared, JsonReport json) {
    json.field("measure", compared.measure().key())
        .field("a", compared.a(), DIGITS)
        .field("b", compared.b(), DIGITS)
        .field(
            "scale",
            switch (compared.scale()) {
              case LOG_RATIO -> "relative";
              case DIFFERENCE -> "difference";
            })
        .field("change", compared.change(), DIGITS);
    Optional<Interval> interval = compared.estimate().interval();
    interval.ifPresent(known ->
        json.field("low", compared.scale().change(known.low()), DIGITS)
            .field("high", compared.scale().change(known.high()), DIGITS)
            .field("p", compared.estimate().pValue(), 6));
    json.field("method", compared.estimate().method());
  }

  private static void values(Map<Measure, Double> values, JsonReport json) {
    for (Measure measure : Measure.values()) {
      Double value = values.get(measure);
      if (value == null) {
        continue;
      }
      if (measure.basis() == Measure.Basis.AMOUNT) {
        json.field(measure.key(), Math.round(value));
      } else {
        json.field(measure.key(), value, DIGITS);
      }
    }
  }
}
