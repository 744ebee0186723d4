package io.orbitkv.cli;

import io.orbitkv.manager.config.ConfigurationFile;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.experiment.Assignment;
import io.orbitkv.manager.experiment.ConfigurationEdit;
import io.orbitkv.manager.experiment.ExperimentPlan;
import io.orbitkv.manager.experiment.ExperimentReader;
import io.orbitkv.manager.experiment.Relative;
import io.orbitkv.manager.experiment.Variants;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Problems;
import io.orbitkv.workload.ab.verdict.Criteria;
import io.orbitkv.workload.ab.verdict.Measure;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What is compared, read and checked.
 *
 * @param name of the experiment
 * @param variants both configurations
 * @param plan the section {@code ab}; empty with two configurations
 * @param configA variant A with everything derived
 * @param configB variant B, the same
 */
record AbSetup(
    String name,
    Variants variants,
    Optional<ExperimentPlan> plan,
    ManagerConfig configA,
    ManagerConfig configB) {
  private static final long MODEL_MEMORY_BYTES = 1L << 46;
  private static final long MODEL_HEAP_BYTES = 1L << 42;

  /**
   * Reads what the flags name.
   *
   * @param alone whether variant A alone is enough; it is B too then
   * @throws ConfigException with everything that is wrong, and its places
   */
  static AbSetup read(AbFlags flags, boolean alone) {
    @Nullable Path config = flags.config;
    @Nullable Path a = flags.a;
    @Nullable Path b = flags.b;
    if (config != null ? a != null || b != null : a == null || (b == null && !alone)) {
      throw CommandException.usage(
          alone
              ? "say what to compare: either --config FILE with a section ab, or --a FILE"
              : "say what to compare: either --config FILE with a section ab, or --a FILE and --b"
                  + " FILE");
    }
    if (config != null) {
      if (!flags.allow.isEmpty()) {
        throw CommandException.usage(
            "--allow belongs to --a and --b: variants of --config differ in policies alone");
      }
      return planned(config, flags);
    }
    ConfigNode.Mapping ofA = sized(ConfigurationFile.read(Objects.requireNonNull(a)), flags);
    Variants variants =
        Variants.of(ofA, b == null ? ofA : sized(ConfigurationFile.read(b), flags), flags.allow);
    return of(
        b == null ? stem(a) : stem(a) + " against " + stem(b),
        variants,
        Optional.empty(),
        facts(flags));
  }

  private static AbSetup planned(Path config, AbFlags flags) {
    ConfigNode.Mapping root = sized(ConfigurationFile.read(config), flags);
    Optional<ConfigNode.Entry> entry = root.entry(ExperimentReader.KEY);
    if (entry.isEmpty() || !(entry.get().value() instanceof ConfigNode.Mapping section)) {
      throw CommandException.usage(
          "configuration ["
              + config
              + "] has no section ab: write one, or compare two configurations with --a and --b");
    }
    Problems problems = new Problems();
    ExperimentPlan plan = ExperimentReader.read(section, problems);
    problems.throwIfAny();
    Variants variants = Variants.of(root, plan);
    // What the cache turns over in is known to a Manager alone, which asks again.
    variants.requireSound(plan.assignment(), plan.assignmentPlace(), Duration.ZERO);
    return of(plan.name(), variants, Optional.of(plan), facts(flags));
  }

  /** Capacities that flags set, of both variants alike. */
  private static ConfigNode.Mapping sized(ConfigNode.Mapping root, AbFlags flags) {
    ConfigNode.Mapping sized = root;
    if (flags.poolSize != null) {
      ConfigNode value = ConfigurationEdit.flag("--pool-size", flags.poolSize);
      sized = ConfigurationEdit.with(sized, "memory", "pool-size", value);
    }
    if (!flags.ssdPaths.isEmpty()) {
      ConfigNode value = ConfigurationEdit.flags("--ssd-path", flags.ssdPaths);
      sized = ConfigurationEdit.with(sized, "ssd", "paths", value);
    }
    if (flags.ssdSize != null) {
      ConfigNode value = ConfigurationEdit.flag("--ssd-size", flags.ssdSize);
      sized = ConfigurationEdit.with(sized, "ssd", "capacity", value);
    }
    return sized;
  }

  /** A model takes no memory, so that any size of pool fits any machine. */
  private static HostFacts facts(AbFlags flags) {
    HostFacts here = HostFacts.detectForServe();
    return flags.simulate
        ? new HostFacts(
            here.environment(), here.uid(), MODEL_MEMORY_BYTES, MODEL_HEAP_BYTES, here.home())
        : here;
  }

  private static AbSetup of(
      String name, Variants variants, Optional<ExperimentPlan> plan, HostFacts facts) {
    ManagerConfig ofA = ConfigurationFile.check(variants.a(), facts);
    ManagerConfig ofB = ConfigurationFile.check(variants.b(), facts);
    return new AbSetup(name, variants, plan, ofA, ofB);
  }

  /** Who gets what on live traffic and under {@code partition}. */
  Assignment assignment() {
    return plan.map(ExperimentPlan::assignment).orElse(Assignment.DEFAULT);
  }

  /**
   * What decides: flags before the configuration before defaults.
   *
   * @param byDefault what decides unless somebody says otherwise
   */
  Criteria criteria(AbFlags flags, Criteria byDefault) {
    Measure primary = byDefault.primary();
    double margin = byDefault.margin();
    List<Criteria.Guard> guards = new ArrayList<>(byDefault.guards());
    if (plan.isPresent()) {
      Optional<Relative> written = plan.get().primary();
      if (written.isPresent()) {
        Relative of = written.get();
        primary = at(of, "ab.primary.measure", () -> Measure.parse(of.measure()));
        margin = at(of, "ab.primary.margin", () -> Criteria.parsePercent(of.percent()));
      }
      if (!plan.get().guards().isEmpty()) {
        guards.clear();
        for (Relative guard : plan.get().guards()) {
          guards.add(
              at(
                  guard,
                  "ab.guards." + guard.measure(),
                  () -> guard(guard.measure(), guard.percent())));
        }
      }
    }
    try {
      if (flags.primary != null) {
        primary = Measure.parse(flags.primary);
      }
      if (flags.margin != null) {
        margin = Criteria.parsePercent(flags.margin);
      }
      if (!flags.guards.isEmpty()) {
        guards.clear();
        for (String text : flags.guards) {
          int sign = text.indexOf('=');
          if (sign < 0) {
            throw new IllegalArgumentException(
                "--guard [" + text + "] must be a measure and a limit, such as ttft.p95=+2%");
          }
          guards.add(guard(text.substring(0, sign), text.substring(sign + 1)));
        }
      }
      Measure decides = primary;
      guards.removeIf(guard -> guard.measure() == decides);
      return new Criteria(primary, margin, guards);
    } catch (IllegalArgumentException problem) {
      throw CommandException.usage(problem);
    }
  }

  private static Criteria.Guard guard(String measure, String limit) {
    return new Criteria.Guard(Measure.parse(measure), Criteria.parsePercent(limit));
  }

  private static <T> T at(Relative written, String key, Supplier<T> read) {
    try {
      return read.get();
    } catch (IllegalArgumentException problem) {
      throw new ConfigException(
          List.of(ConfigProblem.at(written.place(), key, String.valueOf(problem.getMessage()))));
    }
  }

  private static String stem(Path file) {
    @Nullable Path name = file.getFileName();
    String text = name == null ? file.toString() : name.toString();
    int dot = text.lastIndexOf('.');
    return dot > 0 ? text.substring(0, dot) : text;
  }
}
