package io.orbitkv.manager.metrics;

import io.orbitkv.manager.shadow.ShadowFigures;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * What shadow policies would have kept, as families. Their labels come and go with the epochs, so
 * they are made for each export and are no meters of the registry.
 */
final class ShadowFamilies {
  private static final String PREFIX = "orbitkv_shadow_";
  private static final String NOTHING = "none";

  private ShadowFamilies() {}

  static List<MetricFamily> of(ShadowFigures shadows) {
    List<MetricFamily> families = new ArrayList<>();
    lookups(shadows.lookups(), families);
    families.add(
        each(
            "looked_up_pages_total",
            "pages",
            "Pages that a miniature was asked for, by slot that it is about",
            shadows,
            ShadowFigures.Mini::lookedUpPages));
    families.add(
        each(
            "hit_pages_total",
            "pages",
            "Of them, pages of prefix hits in the miniature",
            shadows,
            ShadowFigures.Mini::hitPages));
    families.add(
        each(
            "missed_pages_total",
            "pages",
            "Of them, pages that it would not have had",
            shadows,
            ShadowFigures.Mini::missedPages));
    families.add(
        each(
            "dram_written_bytes_total",
            "bytes",
            "Bytes that would have been copied from devices to the miniature's host memory",
            shadows,
            ShadowFigures.Mini::dramWrittenBytes));
    families.add(
        each(
            "ssd_written_bytes_total",
            "bytes",
            "Bytes that would have been written to the miniature's backing tier",
            shadows,
            ShadowFigures.Mini::ssdWrittenBytes));
    families.add(
        family(
            "runs",
            MetricFamily.Type.GAUGE,
            "",
            "1 while the miniature runs, 0 once its policy has thrown, hung or answered nonsense",
            samples(shadows, mini -> mini.running() ? 1 : 0)));
    gauge(
        "hit_ratio",
        "",
        "Hit pages of a miniature as a share of the pages it was asked for",
        samples(shadows, ShadowFigures.Mini::hitRatio),
        families);
    gauge(
        "regret_pages",
        "pages",
        "Hits of the slot's best shadow less those of the active miniature: below 0 when what"
            + " serves is best; not there without both",
        regrets(shadows, ShadowFigures.Regret::pages),
        families);
    gauge(
        "regret_ratio",
        "",
        "The same as a share of the pages they were asked for",
        regrets(shadows, ShadowFigures.Regret::ratio),
        families);
    families.add(
        family(
            "sample_ratio",
            MetricFamily.Type.GAUGE,
            "",
            "Share of conversations and capacity that miniatures have, 0 before they began",
            one(shadows.share())));
    families.add(
        family(
            "turned_over",
            MetricFamily.Type.GAUGE,
            "",
            "1 once the active miniature has given up as many pages as it holds: before, figures"
                + " are those of a cold start",
            one(shadows.turnedOver() ? 1 : 0)));
    return families;
  }

  private static void lookups(ShadowFigures.Lookups lookups, List<MetricFamily> families) {
    families.add(
        counter("offered_lookups_total", "Lookups while there are shadows", lookups.offered()));
    families.add(
        counter(
            "sampled_lookups_total",
            "Of them, those of conversations in the sample, which miniatures served",
            lookups.sampled()));
    families.add(
        counter(
            "other_lookups_total",
            "Of them, those of conversations that are not in the sample",
            lookups.others()));
    families.add(
        counter(
            "dropped_lookups_total",
            "Of them, those that found too many waiting, for all miniatures alike",
            lookups.dropped()));
    families.add(
        counter(
            "left_out_lookups_total",
            "Of them, those that miniatures cannot serve: of several groups, of pages of another"
                + " size than the first engine's, of more than is remembered",
            lookups.leftOut()));
    families.add(
        family(
            "waiting_lookups",
            MetricFamily.Type.GAUGE,
            "queries",
            "Of them, those that nothing has become of so far",
            one((double) lookups.waiting())));
  }

  private static MetricFamily counter(String name, String help, long value) {
    return family(name, MetricFamily.Type.COUNTER, "queries", help, one((double) value));
  }

  private static MetricFamily each(
      String name,
      String unit,
      String help,
      ShadowFigures shadows,
      ToDoubleFunction<ShadowFigures.Mini> value) {
    return family(name, MetricFamily.Type.COUNTER, unit, help, samples(shadows, value));
  }

  /** A family without series is left out. */
  private static void gauge(
      String name,
      String unit,
      String help,
      List<MetricFamily.Sample> samples,
      List<MetricFamily> families) {
    if (!samples.isEmpty()) {
      families.add(family(name, MetricFamily.Type.GAUGE, unit, help, samples));
    }
  }

  private static MetricFamily family(
      String name,
      MetricFamily.Type type,
      String unit,
      String help,
      List<MetricFamily.Sample> samples) {
    return new MetricFamily(PREFIX + name, type, unit, help, samples);
  }

  private static List<MetricFamily.Sample> one(double value) {
    return List.of(new MetricFamily.Sample(Map.of(), value, null));
  }

  private static List<MetricFamily.Sample> samples(
      ShadowFigures shadows, ToDoubleFunction<ShadowFigures.Mini> value) {
    Map<Map<String, String>, Double> values = new LinkedHashMap<>();
    for (ShadowFigures.Mini mini : shadows.miniatures()) {
      values.merge(
          Map.of(
              "slot", mini.slot(),
              "policy", mini.policy(),
              "settings", mini.settings().isEmpty() ? NOTHING : mini.settings(),
              "role", mini.active() ? "active" : "shadow",
              "epoch", Long.toString(shadows.epoch())),
          value.applyAsDouble(mini),
          Double::sum);
    }
    if (values.isEmpty()) {
      // So that the series are known before there are shadows.
      values.put(
          Map.of(
              "slot", NOTHING,
              "policy", NOTHING,
              "settings", NOTHING,
              "role", NOTHING,
              "epoch", NOTHING),
          0.0);
    }
    List<MetricFamily.Sample> samples = new ArrayList<>();
    values.forEach((labels, each) -> samples.add(new MetricFamily.Sample(labels, each, null)));
    return samples;
  }

  private static List<MetricFamily.Sample> regrets(
      ShadowFigures shadows, ToDoubleFunction<ShadowFigures.Regret> value) {
    List<MetricFamily.Sample> samples = new ArrayList<>();
    for (ShadowFigures.Regret regret : shadows.regrets()) {
      samples.add(
          new MetricFamily.Sample(
              Map.of("slot", regret.slot(), "epoch", Long.toString(shadows.epoch())),
              value.applyAsDouble(regret),
              null));
    }
    return samples;
  }
}
