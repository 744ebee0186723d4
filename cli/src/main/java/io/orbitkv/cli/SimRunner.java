package io.orbitkv.cli;

import io.orbitkv.workload.planted.PlantedBug;
import io.orbitkv.workload.sim.Simulation;
import io.orbitkv.workload.sim.SimulationOptions;
import io.orbitkv.workload.sim.SimulationReport;
import io.orbitkv.workload.sim.SimulationTrace;
import io.orbitkv.workload.sim.Violation;
import io.orbitkv.workload.sim.rule.Invariant;
import io.orbitkv.workload.sim.rule.Scenario;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs simulations and prints what they found. */
final class SimRunner {
  private static final Pattern RANGE = Pattern.compile("(\\d{1,18})\\.\\.(\\d{1,18})");
  private static final String DEFAULT_SEEDS = "1..200";
  private static final long DEFAULT_STEPS = 2000;

  private final SimCommand command;
  private final PrintWriter out;
  private final PrintWriter err;

  SimRunner(SimCommand command, PrintWriter out, PrintWriter err) {
    this.command = command;
    this.out = out;
    this.err = err;
  }

  int run() throws InterruptedException, IOException {
    if (command.listBugs()) {
      return Planting.list(command.json(), out);
    }
    String bug = command.plant();
    if (bug != null) {
      return plant(bug);
    }
    if (command.store()) {
      return StoreTests.run(storeArguments(), out);
    }
    if (command.listInvariants()) {
      return list();
    }
    Path replay = command.replay();
    return replay == null ? simulate() : replay(replay);
  }

  private int list() {
    for (Invariant invariant : Invariant.values()) {
      if (invariant.checked()) {
        out.printf(
            Locale.ROOT,
            "%-28s %-16s %s%n",
            invariant.key(),
            invariant.source(),
            invariant.summary());
      }
    }
    return 0;
  }

  private int plant(String name) throws InterruptedException, IOException {
    if (command.replay() != null || command.traceOut() != null || command.keepGoing()) {
      throw CommandException.usage(
          "--plant goes with --seeds or --seed, --steps, --threads and --scenario alone");
    }
    PlantedBug bug = Planting.named(name);
    return Planting.find(
        bug, bug.ofStore() ? storeArguments(bug) : kernelArguments(bug), command.json(), out);
  }

  /** What the child process that has the bug is to simulate. */
  private List<String> kernelArguments(PlantedBug bug) {
    SimulationOptions options = options();
    return List.of(
        "sim",
        "--seeds",
        options.firstSeed() + ".." + options.lastSeed(),
        "--steps",
        Long.toString(options.steps()),
        "--threads",
        Integer.toString(options.threads()),
        "--scenario",
        Optional.ofNullable(command.scenario()).orElse(bug.scenario()),
        "--no-shrink",
        "--quiet",
        "--json");
  }

  /** The same for the crash tests of the store. */
  private List<String> storeArguments(PlantedBug bug) {
    List<String> arguments = new ArrayList<>(StoreTests.arguments(command, seeds()));
    arguments.addAll(
        List.of("--scenario", Optional.ofNullable(command.scenario()).orElse(bug.scenario())));
    arguments.add("--json");
    return arguments;
  }

  private List<String> storeArguments() {
    if (command.replay() != null || command.traceOut() != null) {
      throw CommandException.usage("--store has no traces: --seed of a run repeats it");
    }
    if (command.listInvariants()) {
      return List.of("--list-invariants");
    }
    List<String> arguments = new ArrayList<>(StoreTests.arguments(command, seeds()));
    Optional.ofNullable(command.scenario())
        .ifPresent(scenario -> arguments.addAll(List.of("--scenario", scenario)));
    if (command.keepGoing()) {
      arguments.add("--keep-going");
    }
    if (command.json()) {
      arguments.add("--json");
    }
    return arguments;
  }

  // ---- seeds -----------------------------------------------------------------------------------

  private int simulate() throws InterruptedException, IOException {
    SimulationOptions options = options();
    Path traceOut = command.traceOut();
    if (traceOut != null) {
      requireWritable(traceOut);
    }
    SimulationReport report;
    Simulation simulation = new Simulation(options);
    try (Interruption interruption = new Interruption(out)) {
      interruption.stopWith(simulation::stop);
      report = withProgress(simulation, options);
    }
    if (traceOut != null) {
      trace(traceOut, options, report.violation());
    }
    out.print(command.json() ? report.json() + "\n" : report.text());
    return report.passed() ? 0 : Errors.FAILURE;
  }

  private SimulationReport withProgress(Simulation simulation, SimulationOptions options)
      throws InterruptedException {
    if (command.quiet() || !ProgressLine.possible()) {
      return simulation.run();
    }
    try (var _ = ProgressLine.start(err, () -> text(simulation, options))) {
      return simulation.run();
    }
  }

  private static String text(Simulation simulation, SimulationOptions options) {
    return String.format(
        Locale.ROOT,
        "%,d of %,d seeds, %,d steps",
        simulation.seedsDone(),
        options.seeds(),
        simulation.stepsDone());
  }

  private SimulationOptions options() {
    long[] seeds = seeds();
    try {
      SimulationOptions options =
          SimulationOptions.of(
                  seeds[0], seeds[1], Optional.ofNullable(command.steps()).orElse(DEFAULT_STEPS))
              .with(scenario())
              .withKeepGoing(command.keepGoing());
      if (command.noShrink()) {
        options = options.withShrinkTime(Duration.ZERO);
      }
      Integer threads = command.threads();
      return threads == null ? options : options.withThreads(threads);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  /** First and last. */
  private long[] seeds() {
    Long seed = command.seed();
    if (seed != null && command.seeds() != null) {
      throw CommandException.usage("--seed and --seeds exclude each other");
    }
    if (seed != null) {
      return new long[] {seed, seed};
    }
    String range = Optional.ofNullable(command.seeds()).orElse(DEFAULT_SEEDS);
    Matcher matcher = RANGE.matcher(range);
    if (!matcher.matches()) {
      throw CommandException.usage("--seeds [" + range + "] is not a range: write it like 1..200");
    }
    return new long[] {Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2))};
  }

  private Scenario scenario() {
    String name = command.scenario();
    if (name == null) {
      return Scenario.ALL.getFirst();
    }
    Scenario scenario = Scenario.named(name);
    if (scenario == null) {
      String names =
          Scenario.ALL.stream()
              .map(each -> each.name() + " (" + each.summary() + ")")
              .collect(Collectors.joining(", "));
      throw CommandException.usage("--scenario [" + name + "] is unknown: one of " + names);
    }
    return scenario;
  }

  // ---- traces ----------------------------------------------------------------------------------

  private void trace(Path file, SimulationOptions options, @Nullable Violation violation)
      throws IOException {
    if (violation != null) {
      SimulationTrace.of(options, violation).write(file);
      err.println(Main.program() + ": the failing run is in " + file);
    } else if (command.seed() != null) {
      SimulationTrace.of(options, options.firstSeed()).write(file);
    } else {
      err.println(Main.program() + ": no run failed, so " + file + " is not written");
    }
  }

  private static void requireWritable(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.isDirectory(file) || folder == null || !Files.isDirectory(folder)) {
      throw CommandException.usage(
          "--trace-out [" + file + "] cannot be written: name a file in a folder that is there");
    }
  }

  private int replay(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw CommandException.usage("--replay [" + file + "] does not exist");
    }
    SimulationTrace trace;
    try {
      trace = SimulationTrace.read(file);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    Violation violation = trace.replay();
    if (violation == null) {
      out.println("no invariant was violated");
      return 0;
    }
    out.println("violated: " + violation.invariant().key());
    out.println("  step " + violation.step() + ": " + violation.what());
    violation.trail().forEach(line -> out.println("    " + line));
    return Errors.FAILURE;
  }
}
