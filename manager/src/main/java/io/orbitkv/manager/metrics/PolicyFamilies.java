package io.orbitkv.manager.metrics;

import io.orbitkv.manager.dispatch.PolicyFigures;
import io.orbitkv.manager.policy.Journal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * What policies have done, as families. Their labels come and go with the epochs, so they are made
 * for each export and are no meters of the registry.
 */
final class PolicyFamilies {
  private static final String PREFIX = "orbitkv_policy_";
  private static final String NOTHING = "none";

  private PolicyFamilies() {}

  static List<MetricFamily> of(List<PolicyFigures> policies, Journal.Figures journal) {
    List<MetricFamily> families = new ArrayList<>();
    families.add(
        counter(
            "questions_total",
            "questions",
            "Questions that a policy was asked, by slot",
            policies,
            PolicyFigures::asked));
    families.add(
        counter(
            "answers_total",
            "questions",
            "Questions that the policy answered in time and with sense",
            policies,
            PolicyFigures::answered));
    families.add(
        counter(
            "late_total",
            "questions",
            "Questions that got the default because no answer was there in time",
            policies,
            PolicyFigures::late));
    families.add(
        counter(
            "failed_total",
            "questions",
            "Questions that got the default because the policy threw or answered nonsense",
            policies,
            PolicyFigures::failed));
    families.add(
        family(
            "open_questions",
            MetricFamily.Type.GAUGE,
            "questions",
            "Questions without an answer so far",
            each(policies, PolicyFigures::open)));
    families.add(
        counter(
            "facts_total",
            "batches",
            "Batches of page events for a policy",
            policies,
            PolicyFigures::facts));
    families.add(
        counter(
            "dropped_facts_total",
            "batches",
            "Batches of page events that found the policy's mailbox full, or nobody behind it",
            policies,
            PolicyFigures::droppedFacts));
    families.add(
        family(
            "serves",
            MetricFamily.Type.GAUGE,
            "",
            "1 while the policy serves in the slot, otherwise 0",
            each(policies, figures -> figures.serves() ? 1 : 0)));
    families.add(
        family(
            "decisions_total",
            MetricFamily.Type.COUNTER,
            "questions",
            "Decisions by choice and reason; by default where the policy's own word was not there",
            decisions(policies)));
    families.add(
        one("journal_decisions_total", "Decisions that the journal was told", journal.decisions()));
    families.add(
        one(
            "journal_inputs_total",
            "Of them with everything that the policy saw",
            journal.sampled()));
    families.add(
        one(
            "journal_overwritten_total",
            "Entries that memory has no more, because they were the oldest",
            journal.overwritten()));
    families.add(one("journal_lines_total", "Lines in the journal's file", journal.fileLines()));
    families.add(
        one(
            "journal_dropped_lines_total",
            "Lines that the journal's file was too slow for, or failed to take",
            journal.fileDropped()));
    return families;
  }

  private static MetricFamily counter(
      String name,
      String unit,
      String help,
      List<PolicyFigures> policies,
      ToLongFunction<PolicyFigures> value) {
    return family(name, MetricFamily.Type.COUNTER, unit, help, each(policies, value));
  }

  private static MetricFamily one(String name, String help, long value) {
    return family(
        name,
        MetricFamily.Type.COUNTER,
        "entries",
        help,
        List.of(new MetricFamily.Sample(Map.of(), value, null)));
  }

  private static MetricFamily family(
      String name,
      MetricFamily.Type type,
      String unit,
      String help,
      List<MetricFamily.Sample> samples) {
    return new MetricFamily(PREFIX + name, type, unit, help, samples);
  }

  // Two instances of one policy, with other settings, can serve as cutoffs since the same epoch:
  // they are one series.
  private static List<MetricFamily.Sample> each(
      List<PolicyFigures> policies, ToLongFunction<PolicyFigures> value) {
    Map<Map<String, String>, Long> values = new LinkedHashMap<>();
    for (PolicyFigures figures : policies) {
      values.merge(labels(figures), value.applyAsLong(figures), Long::sum);
    }
    return samples(values);
  }

  private static List<MetricFamily.Sample> decisions(List<PolicyFigures> policies) {
    Map<Map<String, String>, Long> values = new LinkedHashMap<>();
    for (PolicyFigures figures : policies) {
      if (figures.decisions().isEmpty()) {
        // So that the series are known before the first decision.
        values.merge(labels(figures, NOTHING, NOTHING, NOTHING), 0L, Long::sum);
      }
      for (PolicyFigures.Decisions each : figures.decisions()) {
        values.merge(
            labels(figures, each.choice(), each.reason(), each.byDefault() ? "default" : "policy"),
            each.count(),
            Long::sum);
      }
    }
    return samples(values);
  }

  private static List<MetricFamily.Sample> samples(Map<Map<String, String>, Long> values) {
    List<MetricFamily.Sample> samples = new ArrayList<>();
    values.forEach((labels, value) -> samples.add(new MetricFamily.Sample(labels, value, null)));
    return samples;
  }

  private static Map<String, String> labels(PolicyFigures figures) {
    return Map.of(
        "slot", figures.slot(),
        "policy", figures.policy(),
        "variant", figures.variant(),
        "epoch", Long.toString(figures.epoch()));
  }

  private static Map<String, String> labels(
      PolicyFigures figures, String choice, String reason, String by) {
    return Map.of(
        "slot", figures.slot(),
        "policy", figures.policy(),
        "variant", figures.variant(),
        "epoch", Long.toString(figures.epoch()),
        "choice", choice,
        "reason", reason,
        "by", by);
  }
}
