package io.orbitkv.cli;

import java.util.ArrayList;
import java.util.List;

/**
 * The metrics that a Prometheus text describes.
 *
 * @param name as exported
 * @param type counter, gauge or histogram
 * @param help what it means
 */
record MetricNames(String name, String type, String help) {
  private static final String HELP = "# HELP ";
  private static final String TYPE = "# TYPE ";

  /** In the order of the text. */
  static List<MetricNames> of(String text) {
    List<MetricNames> names = new ArrayList<>();
    String help = "";
    for (String line : text.lines().toList()) {
      if (line.startsWith(HELP)) {
        String described = line.substring(HELP.length());
        help = described.substring(described.indexOf(' ') + 1);
      } else if (line.startsWith(TYPE)) {
        String typed = line.substring(TYPE.length());
        int space = typed.indexOf(' ');
        names.add(new MetricNames(typed.substring(0, space), typed.substring(space + 1), help));
      }
    }
    return names;
  }

  /** As lines of columns. */
  static String table(List<MetricNames> names) {
    int nameWidth = 0;
    int typeWidth = 0;
    for (MetricNames each : names) {
      nameWidth = Math.max(nameWidth, each.name().length());
      typeWidth = Math.max(typeWidth, each.type().length());
    }
    StringBuilder table = new StringBuilder();
    for (MetricNames each : names) {
      table.append(each.name()).repeat(' ', nameWidth + 2 - each.name().length());
      table.append(each.type()).repeat(' ', typeWidth + 2 - each.type().length());
      table.append(each.help()).append('\n');
    }
    return table.toString();
  }
}
