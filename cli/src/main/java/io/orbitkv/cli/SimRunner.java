package io.orbitkv.cli;

import io.orbitkv.workload.planted.PlantedBug;
import io.orbitkv.workload.report.JsonReport;
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
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

  /** What may stand beside each option that says what is done. */
  private static final Map<String, List<String>> ALONE = alone();

  private static final List<String> OPTIONS =
      List.of(
          "--list-invariants",
          "--list-bugs",
          "--plant",
          "--replay",
          "--seeds",
          "--seed",
          "--steps",
          "--threads",
          "--scenario",
          "--keep-going",
          "--no-shrink",
          "--trace-out",
          "--quiet");

  private final SimCommand command;
  private final PrintWriter out;
  private final PrintWriter err;

  SimRunner(SimCommand command, PrintWriter out, PrintWriter err) {
    this.command = command;
    this.out = out;
    this.err = err;
  }

  int run() throws InterruptedException, IOException {
    refuseWhatHasNoEffect();
    Long parent = command.parent();
    if (parent != null) {
      Owner.of(parent).onEnd(() -> Runtime.getRuntime().halt(Errors.FAILURE));
    }
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

  /** Options that would be ignored beside the one that decides what is done. */
  private void refuseWhatHasNoEffect() {
    for (Map.Entry<String, List<String>> alone : ALONE.entrySet()) {
      if (!command.given(alone.getKey())) {
        continue;
      }
      for (String other : OPTIONS) {
        if (command.given(other)
            && !other.equals(alone.getKey())
            && !alone.getValue().contains(other)) {
          throw CommandException.usage(
              other
                  + " has no effect beside "
                  + alone.getKey()
                  + ", which goes with "
                  + String.join(", ", alone.getValue())
                  + " alone: leave one out");
        }
      }
    }
  }

  private int list() {
    List<Invariant> checked = Arrays.stream(Invariant.values()).filter(Invariant::checked).toList();
    if (command.json()) {
      out.println(
          JsonReport.object(report ->
              report.objects(
                  "invariants",
                  checked,
                  (fields, invariant) ->
                      fields
                          .field("name", invariant.key())
                          .field("source", invariant.source())
                          .field("description", invariant.summary()))));
      return 0;
    }
    for (Invariant invariant : checked) {
      out.printf(
          Locale.ROOT,
          "%-28s %-16s %s%n",
          invariant.key(),
          invariant.source(),
          invariant.summary());
    }
    return 0;
  }

  private int plant(String name) throws InterruptedException, IOException {
    long[] seeds = seeds();
    PlantedBug bug = Planting.named(name);
    return Planting.find(
        bug,
        bug.ofStore() ? storeArguments(bug, seeds) : kernelArguments(bug),
        command.json(),
        out);
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
  private List<String> storeArguments(PlantedBug bug, long[] seeds) {
    List<String> arguments = new ArrayList<>(StoreTests.arguments(command, seeds));
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
      OutputFile.requireWritable("--trace-out", traceOut);
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

  private void trace(Path file, SimulationOptions options, @Nullable Violation violation) {
    if (violation != null) {
      OutputFile.write("--trace-out", file, SimulationTrace.of(options, violation)::write);
      err.println(Main.program() + ": the failing run is in " + file);
    } else if (command.seed() != null) {
      SimulationTrace trace = SimulationTrace.of(options, options.firstSeed());
      OutputFile.write("--trace-out", file, trace::write);
    } else {
      err.println(Main.program() + ": no run failed, so " + file + " is not written");
    }
  }

  private int replay(Path file) throws IOException {
    if (!Files.exists(file)) {
      throw CommandException.usage("--replay [" + file + "] does not exist: check the path");
    }
    if (!Files.isRegularFile(file)) {
      throw CommandException.usage(
          "--replay [" + file + "] is no file: name one that --trace-out wrote");
    }
    SimulationTrace trace;
    try {
      trace = SimulationTrace.read(file);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
    Violation violation = trace.replay();
    if (command.json()) {
      out.println(json(violation));
      return violation == null ? 0 : Errors.FAILURE;
    }
    if (violation == null) {
      out.println("no invariant was violated");
      return 0;
    }
    out.println("violated: " + violation.invariant().key());
    out.println("  step " + violation.step() + ": " + violation.what());
    violation.trail().forEach(line -> out.println("    " + line));
    return Errors.FAILURE;
  }

  private static String json(@Nullable Violation violation) {
    return JsonReport.object(report -> {
      report.field("violations", violation == null ? 0 : 1);
      if (violation != null) {
        report
            .field("invariant", violation.invariant().key())
            .field("seed", violation.seed())
            .field("step", violation.step())
            .field("what", violation.what())
            .texts("last_events", violation.trail());
      }
    });
  }

  private static Map<String, List<String>> alone() {
    Map<String, List<String>> alone = new LinkedHashMap<>();
    alone.put("--list-invariants", List.of("--json"));
    alone.put("--list-bugs", List.of("--json"));
    alone.put(
        "--plant",
        List.of(
            "--seeds",
            "--seed",
            "--steps",
            "--threads",
            "--scenario",
            "--no-shrink",
            "--quiet",
            "--json"));
    alone.put("--replay", List.of("--quiet", "--json"));
    return Collections.unmodifiableMap(alone);
  }
}
