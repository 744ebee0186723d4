package io.orbitkv.cli;

import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "sim",
    description = {
      "Simulate the kernel among engines, devices and stores that fail in every way, and check its"
          + " invariants after each step.",
      "",
      "The kernel is the one that serve runs. Time, chance and hardware are simulated, so a seed"
          + " gives the same run every time. A run that violates an invariant is made shorter"
          + " before it is shown.",
      "",
      "With --store it is the SSD store, over a device in memory that loses power in the middle of"
          + " a write, fails and lies; the store is opened again after each crash, and everything"
          + " that it promised is asked of it."
    },
    footer = {
      "",
      "Exit status 1 when an invariant was violated, or when a run of full size (four million"
          + " steps) did not see every fault and every pair of state and event.",
      "",
      "Examples:",
      "  orbitkv sim",
      "  orbitkv sim --seeds 1..2000 --steps 2000 --json",
      "  orbitkv sim --seed 17 --trace-out trace.jsonl",
      "  orbitkv sim --replay trace.jsonl",
      "  orbitkv sim --plant lease-freed-while-copying --seeds 1..500",
      "  orbitkv sim --store --seeds 1..1000 --json"
    })
final class SimCommand extends BaseCommand implements Callable<Integer> {
  @Option(
      names = "--seeds",
      paramLabel = "A..B",
      order = 1,
      description = "Seeds to run, both ends included. Default: 1..200.")
  private @Nullable String seeds;

  @Option(names = "--seed", paramLabel = "N", order = 2, description = "This seed alone.")
  private @Nullable Long seed;

  @Option(
      names = "--steps",
      paramLabel = "N",
      order = 3,
      description =
          "Steps of the kernel in each run; with --store, operations in each life of the store."
              + " Default: 2000 or 240.")
  private @Nullable Long steps;

  @Option(
      names = "--threads",
      paramLabel = "N",
      order = 4,
      description = "Threads that share the seeds. Default: one a processor.")
  private @Nullable Integer threads;

  @Option(
      names = "--scenario",
      paramLabel = "NAME",
      order = 5,
      description = "What runs are made of; a wrong name lists them.")
  private @Nullable String scenario;

  @Option(
      names = "--store",
      order = 5,
      description = "Crash tests of the SSD store in place of the kernel's simulator.")
  private boolean store;

  @Option(
      names = "--keep-going",
      order = 6,
      description = "Run all seeds although one failed, and count the failures.")
  private boolean keepGoing;

  @Option(
      names = "--no-shrink",
      order = 7,
      description = "Show the failing run as it is; otherwise 20 s are spent on making it shorter.")
  private boolean noShrink;

  @Option(
      names = "--trace-out",
      paramLabel = "FILE",
      order = 10,
      description =
          "Write the events of the failing run, made as short as possible, to FILE as JSON lines;"
              + " with --seed of that run whether it fails or not.")
  private @Nullable Path traceOut;

  @Option(
      names = "--replay",
      paramLabel = "FILE",
      order = 11,
      description = "Run what a trace file says.")
  private @Nullable Path replay;

  @Option(
      names = "--list-invariants",
      order = 12,
      description = "Print each invariant, where it is demanded, and what it says.")
  private boolean listInvariants;

  @Option(
      names = "--plant",
      paramLabel = "BUG",
      order = 13,
      description = {
        "Plant a bug into the kernel or the SSD store, in a child process, and stop at the first"
            + " seed that finds it: status 1 and the violated invariant. --list-bugs names them."
      })
  private @Nullable String plant;

  @Option(
      names = "--list-bugs",
      order = 14,
      description = "Print each planted bug, what it does, and the invariant that it violates.")
  private boolean listBugs;

  // Given by --plant to the child process that has the bug.
  @Option(names = "--exit-with-parent", paramLabel = "PID", hidden = true)
  private @Nullable Long parent;

  @Option(names = "--quiet", order = 41, description = "No progress.")
  private boolean quiet;

  @Mixin private JsonOption json = new JsonOption();

  @Override
  public Integer call() throws Exception {
    return new SimRunner(this, out(), err()).run();
  }

  @Nullable String seeds() {
    return seeds;
  }

  @Nullable Long seed() {
    return seed;
  }

  @Nullable Long steps() {
    return steps;
  }

  @Nullable Integer threads() {
    return threads;
  }

  @Nullable String scenario() {
    return scenario;
  }

  boolean store() {
    return store;
  }

  boolean keepGoing() {
    return keepGoing;
  }

  boolean noShrink() {
    return noShrink;
  }

  @Nullable Path traceOut() {
    return traceOut;
  }

  @Nullable Path replay() {
    return replay;
  }

  boolean listInvariants() {
    return listInvariants;
  }

  @Nullable String plant() {
    return plant;
  }

  boolean listBugs() {
    return listBugs;
  }

  @Nullable Long parent() {
    return parent;
  }

  boolean quiet() {
    return quiet;
  }

  boolean json() {
    return json.json();
  }
}
