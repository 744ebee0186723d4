import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;

/**
 * Prints the line coverage of each module from the reports of this build.
 *
 * <p>A module's figure counts its own tests only.
 */
public final class Coverage {

  private Coverage() {}

  /** Lines of one module. */
  private record Lines(long missed, long covered) {
    Lines plus(Lines other) {
      return new Lines(missed + other.missed, covered + other.covered);
    }

    String percent() {
      long all = missed + covered;
      return all == 0 ? "-" : String.format(Locale.ROOT, "%.1f %%", 100.0 * covered / all);
    }
  }

  public static void main(String[] arguments) throws IOException {
    List<Path> reports;
    try (var files =
        Files.find(Path.of(""), 6, (file, a) -> file.endsWith("target/site/jacoco/jacoco.csv"))) {
      reports = files.toList();
    }
    var modules = new TreeMap<String, Lines>();
    for (Path report : reports) {
      modules.put(report.subpath(0, report.getNameCount() - 4).toString(), lines(report));
    }
    if (modules.isEmpty()) {
      return;
    }
    System.out.println("Line coverage");
    var total = new Lines(0, 0);
    for (var module : modules.entrySet()) {
      print(module.getKey(), module.getValue());
      total = total.plus(module.getValue());
    }
    print("all", total);
  }

  private static void print(String name, Lines lines) {
    System.out.printf(
        Locale.ROOT,
        "  %-24s %8s  %6d of %6d%n",
        name,
        lines.percent(),
        lines.covered(),
        lines.missed() + lines.covered());
  }

  /**
   * Columns of the report: GROUP, PACKAGE, CLASS, then missed and covered of instruction, branch,
   * line.
   */
  private static Lines lines(Path report) throws IOException {
    var sum = new Lines(0, 0);
    for (String row : Files.readAllLines(report).stream().skip(1).toList()) {
      String[] cells = row.split(",", -1);
      sum = sum.plus(new Lines(Long.parseLong(cells[7]), Long.parseLong(cells[8])));
    }
    return sum;
  }
}
