package io.orbitkv.ssd.sim;

import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.Scenario;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The program of the child process in which {@code orbitkv sim --store} runs the crash tests:
 * {@code --seeds A..B --steps N --threads N --scenario NAME [--keep-going] [--json]}, or {@code
 * --list-invariants}. Exit status 0 when all held, 1 when one did not, 2 for wrong arguments.
 */
public final class Main {
  private static final Pattern RANGE = Pattern.compile("(\\d{1,18})\\.\\.(\\d{1,18})");
  private static final int VIOLATED = 1;
  private static final int USAGE = 2;

  private Main() {}

  /** Entry point. */
  public static void main(String[] arguments) throws InterruptedException {
    int status;
    try {
      status = run(arguments);
    } catch (IllegalArgumentException problem) {
      System.err.println(problem.getMessage());
      status = USAGE;
    }
    System.out.flush();
    System.exit(status);
  }

  private static int run(String[] arguments) throws InterruptedException {
    StoreSimulationOptions options = StoreSimulationOptions.of(1, 200);
    boolean json = false;
    for (int i = 0; i < arguments.length; i++) {
      switch (arguments[i]) {
        case "--json" -> json = true;
        case "--list-invariants" -> {
          list();
          return 0;
        }
        case "--keep-going" ->
            options =
                new StoreSimulationOptions(
                    options.firstSeed(),
                    options.lastSeed(),
                    options.acts(),
                    options.threads(),
                    options.scenario(),
                    true);
        default -> {
          if (i + 1 == arguments.length) {
            throw new IllegalArgumentException(
                "[" + arguments[i] + "] is unknown or lacks a value");
          }
          options = with(options, arguments[i], arguments[i + 1]);
          i++;
        }
      }
    }
    StoreSimulationReport report = new StoreSimulation(options).run();
    System.out.print(json ? report.json() + "\n" : report.text());
    return report.violations() == 0 ? 0 : VIOLATED;
  }

  private static StoreSimulationOptions with(
      StoreSimulationOptions options, String name, String value) {
    return switch (name) {
      case "--seeds" -> {
        Matcher matcher = RANGE.matcher(value);
        if (!matcher.matches()) {
          throw new IllegalArgumentException(
              "--seeds [" + value + "] is not a range: write it like 1..200");
        }
        yield new StoreSimulationOptions(
            Long.parseLong(matcher.group(1)),
            Long.parseLong(matcher.group(2)),
            options.acts(),
            options.threads(),
            options.scenario(),
            options.keepGoing());
      }
      case "--steps" ->
          new StoreSimulationOptions(
              options.firstSeed(),
              options.lastSeed(),
              Integer.parseInt(value),
              options.threads(),
              options.scenario(),
              options.keepGoing());
      case "--threads" -> options.withThreads(Integer.parseInt(value));
      case "--scenario" -> {
        Scenario scenario = Scenario.named(value);
        if (scenario == null) {
          throw new IllegalArgumentException(
              "--scenario ["
                  + value
                  + "] is unknown: one of "
                  + Scenario.ALL.stream()
                      .map(each -> each.name() + " (" + each.summary() + ")")
                      .collect(Collectors.joining(", ")));
        }
        yield options.with(scenario);
      }
      default -> throw new IllegalArgumentException("[" + name + "] is unknown");
    };
  }

  private static void list() {
    for (Invariant invariant : Invariant.values()) {
      System.out.printf(
          Locale.ROOT,
          "%-28s %-16s %s%n",
          invariant.key(),
          invariant.source(),
          invariant.summary());
    }
  }
}
