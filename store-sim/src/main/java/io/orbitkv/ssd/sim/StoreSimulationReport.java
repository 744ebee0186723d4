package io.orbitkv.ssd.sim;

import io.orbitkv.ssd.sim.rule.Fault;
import io.orbitkv.ssd.sim.rule.Invariant;
import io.orbitkv.ssd.sim.rule.InvariantViolation;
import io.orbitkv.ssd.sim.rule.Step;
import io.orbitkv.ssd.sim.run.SeedResult;
import io.orbitkv.workload.report.JsonReport;
import io.orbitkv.workload.report.Quantity;
import io.orbitkv.workload.report.TextTable;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the crash tests did and found. */
public final class StoreSimulationReport {
  private static final long MOST_SHOWN = 100;

  private final StoreSimulationOptions options;
  private final StoreSimulation.Gathered gathered;
  private final @Nullable SeedResult first;

  StoreSimulationReport(
      StoreSimulationOptions options,
      StoreSimulation.Gathered gathered,
      @Nullable SeedResult first) {
    this.options = options;
    this.gathered = gathered;
    this.first = first;
  }

  /** Runs that failed. */
  public int violations() {
    return gathered.failures.size();
  }

  /** The invariant that the lowest failing seed violates; null when every one held. */
  public @Nullable Invariant violated() {
    return first == null || first.violation() == null ? null : first.violation().invariant();
  }

  /** How often the simulated process or machine died. */
  public long crashes() {
    return gathered.crashes;
  }

  /** How often it died during one kind of step. */
  public long crashes(Step step) {
    return gathered.tally.crashes().getOrDefault(step, 0L);
  }

  /** Kinds of steps during which it never died. */
  public long neverInterrupted() {
    return Arrays.stream(Step.values()).filter(step -> crashes(step) == 0).count();
  }

  /** How often a fault was injected. */
  public long injected(Fault fault) {
    return gathered.tally.faults().getOrDefault(fault, 0L);
  }

  /** How often an invariant was checked. */
  public long checked(Invariant invariant) {
    return gathered.checked.getOrDefault(invariant, 0L);
  }

  /** How often something happened in the store, by name. */
  public long events(String name) {
    return gathered.tally.events().getOrDefault(name, 0L);
  }

  /** Over everything that happened; the same whatever the number of threads. */
  public String digest() {
    return HexFormat.of().toHexDigits(gathered.digest);
  }

  /** For machines. */
  public String json() {
    return JsonReport.object(json -> {
      json.field("seeds", gathered.seeds)
          .field("first_seed", options.firstSeed())
          .field("scenario", options.scenario().name())
          .field("crash_points", crashes())
          .field("kinds_never_interrupted", neverInterrupted())
          .field("violations", violations())
          .field("digest", digest());
      json.object(
          "crash_points_by_kind",
          inner -> {
            for (Step step : Step.values()) {
              inner.field(step.key(), crashes(step));
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
          "invariants",
          inner -> {
            for (Invariant invariant : Invariant.values()) {
              inner.field(invariant.key(), checked(invariant));
            }
          });
      json.object("events", inner -> gathered.tally.events().forEach(inner::field));
      SeedResult run = first;
      InvariantViolation found = run == null ? null : run.violation();
      if (run != null && found != null) {
        json.object("violation", inner -> violation(inner, run, found));
      }
    });
  }

  private void violation(JsonReport json, SeedResult run, InvariantViolation found) {
    json.field("seed", run.seed())
        .field("step", run.crashes())
        .field("invariant", found.invariant().key())
        .field("source", found.invariant().source())
        .field("what", text(found))
        .texts("last_events", run.trail())
        .texts(
            "invariants_violated",
            gathered.failures.stream()
                .map(SeedResult::violation)
                .filter(java.util.Objects::nonNull)
                .map(each -> each.invariant().key())
                .distinct()
                .toList())
        .objects(
            "failures",
            gathered.failures.stream().limit(MOST_SHOWN).toList(),
            (each, failed) -> {
              InvariantViolation violation = failed.violation();
              if (violation != null) {
                each.field("seed", failed.seed())
                    .field("invariant", violation.invariant().key())
                    .field("what", text(violation));
              }
            });
  }

  private static String text(InvariantViolation found) {
    return String.valueOf(found.getMessage());
  }

  /** For people. */
  public String text() {
    long total = gathered.checked.values().stream().mapToLong(Long::longValue).sum();
    long faults = gathered.tally.faults().values().stream().mapToLong(Long::longValue).sum();
    StringBuilder text =
        new StringBuilder(
            new TextTable()
                .row(
                    "seeds",
                    Quantity.count(gathered.seeds)
                        + " from "
                        + options.firstSeed()
                        + ", scenario "
                        + options.scenario().name())
                .row(
                    "crash points",
                    Quantity.count(crashes()) + " of " + gathered.tally.crashes().size() + " kinds")
                .row(
                    "checks",
                    Quantity.count(total) + " of " + Invariant.values().length + " invariants")
                .row("faults", Quantity.count(faults) + " of " + Fault.values().length + " kinds")
                .row("digest", digest())
                .row("violations", Quantity.count(violations()))
                .text());
    if (first != null && first.violation() != null) {
      InvariantViolation found = first.violation();
      List<String> trail = first.trail();
      text.append("\nviolated: ").append(found.invariant().key());
      text.append(" (").append(found.invariant().summary()).append(")\n");
      text.append("  seed ").append(first.seed());
      text.append(", after ").append(first.crashes()).append(" crashes\n  ");
      text.append(text(found)).append("\n  last events:\n");
      trail.forEach(line -> text.append("    ").append(line).append('\n'));
    }
    return text.toString();
  }
}
