package io.orbitkv.cli;

import io.orbitkv.workload.planted.PlantedBug;
import io.orbitkv.workload.planted.PlantedBugs;
import io.orbitkv.workload.process.PlantedSimulation;
import io.orbitkv.workload.process.PlantedSimulation.Violation;
import io.orbitkv.workload.report.JsonReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The planted bugs of {@code orbitkv sim}. */
final class Planting {
  private Planting() {}

  /** Lists them, one a line, the name first. */
  static int list(boolean json, PrintWriter out) throws IOException {
    List<PlantedBug> bugs = installed().all();
    if (json) {
      out.println(
          JsonReport.object(report ->
              report.objects(
                  "bugs",
                  bugs,
                  (fields, bug) ->
                      fields
                          .field("name", bug.name())
                          .field("invariant", bug.invariant())
                          .field("source", bug.origin())
                          .field("module", bug.module())
                          .field("description", bug.description()))));
      return 0;
    }
    for (PlantedBug bug : bugs) {
      out.printf("%-36s  %s [%s]%n", bug.name(), bug.description(), bug.invariant());
    }
    return 0;
  }

  /**
   * The bug of that name.
   *
   * @throws CommandException when there is none, naming those that may be meant
   */
  static PlantedBug named(String name) throws IOException {
    PlantedBugs bugs = installed();
    PlantedBug bug = bugs.find(name);
    if (bug == null) {
      throw CommandException.usage(
          "--plant ["
              + name
              + "] is no planted bug: did you mean "
              + String.join(", ", bugs.nearest(name))
              + "? 'sim --list-bugs' names all");
    }
    return bug;
  }

  /**
   * Lets its simulator look for it in a child process, and says whether that found the invariant
   * that was meant.
   *
   * @param arguments of the simulator, to stop at the first violation and print JSON
   * @return 1 when a violation was found
   */
  static int find(PlantedBug bug, List<String> arguments, boolean json, PrintWriter out)
      throws IOException, InterruptedException {
    Violation found =
        (bug.ofStore()
                ? PlantedSimulation.ofStore(home(), bug, arguments)
                : PlantedSimulation.ofKernel(bug, arguments))
            .violation();
    out.println(json ? json(bug, found) : text(bug, found));
    return found == null ? 0 : Errors.FAILURE;
  }

  private static String json(PlantedBug bug, @Nullable Violation found) {
    return JsonReport.object(report -> {
      report
          .field("planted", bug.name())
          .field("expected_invariant", bug.invariant())
          .field("violations", found == null ? 0 : 1)
          .field("as_meant", meant(bug, found));
      if (found != null) {
        report
            .field("invariant", found.invariant())
            .field("seed", found.seed())
            .field("step", found.step())
            .field("what", found.what());
      }
    });
  }

  private static String text(PlantedBug bug, @Nullable Violation found) {
    String planted = "planted   " + bug.name() + ": " + bug.description() + "\n";
    if (found == null) {
      return planted + "not found: none of these seeds violates an invariant";
    }
    return planted
        + "violated  "
        + found.invariant()
        + " with seed ["
        + found.seed()
        + "] at step ["
        + found.step()
        + "]: "
        + found.what()
        + "\n"
        + (meant(bug, found)
            ? "as meant  the invariant of this bug"
            : "not the one meant: " + bug.invariant());
  }

  private static boolean meant(PlantedBug bug, @Nullable Violation found) {
    return found != null && found.invariant().equals(bug.invariant());
  }

  private static PlantedBugs installed() throws IOException {
    return PlantedBugs.ofInstallation(home());
  }

  static Path home() {
    return Path.of(System.getProperty("orbitkv.home", "."));
  }
}
