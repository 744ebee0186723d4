package io.orbitkv.workload.ab.report;

import io.orbitkv.workload.ab.report.ExperimentReport.Run;
import io.orbitkv.workload.ab.verdict.Measure;
import java.util.Arrays;
import java.util.List;

/** The runs of a report, one a line, with a heading: what somebody computes with again. */
public final class ReportCsv {
  private ReportCsv() {}

  /** The text; each line ends with a line feed. */
  public static String of(ExperimentReport report) {
    List<Measure> measures =
        Arrays.stream(Measure.values())
            .filter(measure ->
                report.runs().stream().anyMatch(run -> run.values().containsKey(measure)))
            .toList();
    StringBuilder text = new StringBuilder("run,pair,order,arm,counts");
    measures.forEach(measure -> text.append(',').append(measure.key()));
    text.append('\n');
    for (Run run : report.runs()) {
      text.append(run.index())
          .append(',')
          .append(run.pair())
          .append(',')
          .append(run.order())
          .append(',')
          .append(run.arm())
          .append(',')
          .append(run.counts());
      for (Measure measure : measures) {
        Double value = run.values().get(measure);
        text.append(',').append(value == null ? "" : number(value));
      }
      text.append('\n');
    }
    return text.toString();
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? Long.toString((long) value)
        : Double.toString(value);
  }
}
