package io.orbitkv.workload.sim;

import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import io.orbitkv.workload.sim.rule.Fault;
import io.orbitkv.workload.sim.rule.Invariant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a simulation did and found. */
public final class SimulationReport {
  private final SimulationOptions options;
  private final Simulation.Gathered gathered;
  private final @Nullable Violation violation;

  SimulationReport(
      SimulationOptions options, Simulation.Gathered gathered, @Nullable Violation violation) {
    this.options = options;
    this.gathered = gathered;
    this.violation = violation;
  }

  /** The violation of the lowest failing seed, shrunk; null when every invariant held. */
  public @Nullable Violation violation() {
    return violation;
  }

  /** Runs that failed. */
  public int violations() {
    return gathered.failures.size();
  }

  /** Steps of the kernel. */
  public long steps() {
    return gathered.steps;
  }

  /** Over all commands of all runs; the same whatever the number of threads. */
  public String digest() {
    return HexFormat.of().toHexDigits(gathered.digest);
  }

  /** How often a fault was injected. */
  public long injected(Fault fault) {
    return gathered.faults.getOrDefault(fault, 0L);
  }

  /** How often an invariant was checked. */
  public long checked(Invariant invariant) {
    return gathered.checked.getOrDefault(invariant, 0L);
  }

  /** What a run of full size should have seen and did not; empty for smaller ones. */
  public List<String> missing() {
    List<String> missing = new ArrayList<>();
    if (!options.full() || violation != null) {
      return missing;
    }
    for (Fault fault : Fault.values()) {
      if (options.scenario().has(fault.part()) && injected(fault) < SimulationOptions.FULL_FAULTS) {
        missing.add("fault " + fault.key() + ": " + injected(fault));
      }
    }
    for (String pair : gathered.coverage.missing(options.scenario())) {
      missing.add("pair " + pair);
    }
    return missing;
  }

  /** Whether every invariant held and nothing that should have been seen is missing. */
  public boolean passed() {
    return violation == null && missing().isEmpty();
  }

  /** For machines. */
  public String json() {
    return JsonReport.object(json -> {
      json.field("seeds", gathered.seeds)
          .field("first_seed", options.firstSeed())
          .field("scenario", options.scenario().name())
          .field("steps", gathered.steps)
          .field("violations", violations())
          .field("distinct_states", gathered.states.estimate())
          .field("digest", digest());
      json.object(
          "invariants",
          inner -> {
            for (Invariant invariant : Invariant.values()) {
              if (invariant != Invariant.ARTIFICIAL) {
                inner.field(invariant.key(), checked(invariant));
              }
            }
          });
      json.object(
          "faults_injected",
          inner -> {
            for (Fault fault : Fault.values()) {
              inner.field(fault.key(), injected(fault));
            }
          });
      json.object(
          "coverage",
          inner -> {
            List<String> unvisited = gathered.coverage.missing(options.scenario());
            inner
                .field("legal_pairs", gathered.coverage.legal(options.scenario()))
                .field(
                    "visited_pairs", gathered.coverage.legal(options.scenario()) - unvisited.size())
                .texts("not_visited", unvisited);
          });
      json.texts("missing", missing());
      if (violation != null) {
        json.object("violation", inner -> violation(inner, violation));
      }
    });
  }

  private void violation(JsonReport json, Violation found) {
    json.field("seed", found.seed())
        .field("step", found.step())
        .field("invariant", found.invariant().key())
        .field("source", found.invariant().source())
        .field("what", found.what())
        .field("actions", found.actions().size())
        .texts("last_events", found.trail())
        .texts(
            "invariants_violated",
            gathered.failures.stream()
                .map(result -> result.violation())
                .filter(java.util.Objects::nonNull)
                .map(each -> each.invariant().key())
                .distinct()
                .toList());
  }

  /** For people. */
  public String text() {
    long total = 0;
    for (Invariant invariant : Invariant.values()) {
      total += checked(invariant);
    }
    long faults = 0;
    for (Fault fault : Fault.values()) {
      faults += injected(fault);
    }
    TextTable table =
        new TextTable()
            .row(
                "seeds",
                Quantity.count(gathered.seeds)
                    + " from "
                    + options.firstSeed()
                    + ", scenario "
                    + options.scenario().name())
            .row("steps", Quantity.count(gathered.steps))
            .row(
                "checks",
                Quantity.count(total) + " of " + (Invariant.values().length - 1) + " invariants")
            .row("faults", Quantity.count(faults) + " of " + Fault.values().length + " kinds")
            .row("states", "about " + Quantity.count(gathered.states.estimate()) + " distinct")
            .row(
                "pairs",
                (gathered.coverage.legal(options.scenario())
                        - gathered.coverage.missing(options.scenario()).size())
                    + " of "
                    + gathered.coverage.legal(options.scenario())
                    + " pairs of state and event")
            .row("digest", digest())
            .row("violations", Quantity.count(violations()));
    StringBuilder text = new StringBuilder(table.text());
    for (String what : missing()) {
      text.append("  missing: ").append(what).append('\n');
    }
    if (violation != null) {
      text.append("\nviolated: ").append(violation.invariant().key());
      text.append(" (").append(violation.invariant().summary()).append(")\n");
      text.append("  seed ").append(violation.seed()).append(", step ").append(violation.step());
      text.append(", shown by ").append(violation.actions().size()).append(" actions\n  ");
      text.append(violation.what()).append("\n  last events:\n");
      violation.trail().forEach(line -> text.append("    ").append(line).append('\n'));
    }
    return text.toString();
  }
}
