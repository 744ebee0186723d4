package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.assign.Arm;
import io.orbitkv.workload.ab.report.ExperimentReport.Run;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** The data of the page's charts: one chart a measure, a point for each run. */
final class PageCharts {
  private static final int MOST = 4;

  private PageCharts() {}

  /**
   * One chart.
   *
   * @param id of its place in the page
   * @param title above it
   * @param measure that it shows
   */
  record Chart(String id, String title, Measure measure) {}

  static List<Chart> of(ExperimentReport report) {
    Set<Measure> wanted = new LinkedHashSet<>();
    wanted.add(report.criteria().primary());
    report.criteria().guards().stream().map(Criteria.Guard::measure).forEach(wanted::add);
    wanted.add(Measure.PREFIX_HIT_RATIO);
    wanted.add(Measure.SSD_WRITTEN_BYTES);
    List<Chart> charts = new ArrayList<>();
    for (Measure measure : wanted) {
      boolean any =
          report.runs().stream().anyMatch(run -> run.values().getOrDefault(measure, 0.0) != 0);
      if (any && charts.size() < MOST) {
        charts.add(
            new Chart(
                "chart-" + charts.size(),
                measure.key() + (measure.unit().isEmpty() ? "" : ", " + measure.unit()),
                measure));
      }
    }
    return List.copyOf(charts);
  }

  static String json(ExperimentReport report) {
    boolean uncounted = report.runs().stream().anyMatch(run -> !run.counts());
    List<Integer> places = report.runs().stream().map(Run::index).distinct().sorted().toList();
    JsonMapper mapper = JsonMapper.shared();
    ObjectNode root = mapper.createObjectNode();
    root.put(
        "xLabel",
        switch (report.kind()) {
          case LIVE -> "run";
          case TRAFFIC -> "block";
          case SIMULATION -> "stretch of time";
        });
    root.put("lines", report.kind() == ExperimentReport.Kind.SIMULATION);
    root.put("uncounted", uncounted);
    ArrayNode x = root.putArray("x");
    places.forEach(place -> x.add(place + 1));
    ArrayNode charts = root.putArray("charts");
    for (Chart chart : of(report)) {
      ObjectNode node = charts.addObject();
      node.put("id", chart.id());
      ArrayNode a = node.putArray("a");
      ArrayNode b = node.putArray("b");
      ArrayNode rest = node.putArray("uncounted");
      for (int place : places) {
        add(a, value(report, place, Arm.A, true, chart.measure()));
        add(b, value(report, place, Arm.B, true, chart.measure()));
        @Nullable Double ofA = value(report, place, Arm.A, false, chart.measure());
        add(rest, ofA != null ? ofA : value(report, place, Arm.B, false, chart.measure()));
      }
    }
    return mapper.writeValueAsString(root);
  }

  private static void add(ArrayNode array, @Nullable Double value) {
    if (value == null) {
      array.addNull();
    } else {
      array.add(value);
    }
  }

  private static @Nullable Double value(
      ExperimentReport report, int place, Arm arm, boolean counts, Measure measure) {
    for (Run run : report.runs()) {
      if (run.index() == place && run.arm() == arm && run.counts() == counts) {
        return run.values().get(measure);
      }
    }
    return null;
  }
}
