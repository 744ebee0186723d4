package io.orbitkv.manager.doctor;

import io.orbitkv.api.backing.BackingTierFactory;
import io.orbitkv.api.plugin.Finding;
import io.orbitkv.manager.config.DefaultPolicies;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.PluginBinding;
import io.orbitkv.manager.experiment.ArmSplit;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginRefusal;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.settings.ConfigException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Looks at everything that a Manager needs here. One thread; may block for a while. */
public final class Doctor {
  private Doctor() {}

  /** What the machine offers, whatever the configuration says. */
  public static List<Finding> machine() {
    return new MachineChecks(new ThisMachine()).all();
  }

  /** Whether a Manager with this configuration fits the machine. */
  public static List<Finding> configured(ManagerConfig config, HostFacts facts) {
    Machine machine = new ThisMachine();
    List<Finding> findings = new ArrayList<>();
    findings.add(ConfiguredChecks.memory(config, facts));
    findings.add(ConfiguredChecks.socketFolder(config.socket()));
    for (String path : config.settings().ssd().paths()) {
      Path store = Path.of(path).toAbsolutePath().normalize();
      findings.add(
          config.cells().isPresent()
              ? ConfiguredChecks.divided(machine, store)
              : ConfiguredChecks.direct(machine, store));
    }
    return findings;
  }

  /** Whether the plugins that the configuration names are there, and what its store says. */
  public static List<Finding> plugins(ManagerConfig config, PluginHost host) {
    List<Finding> findings = new ArrayList<>();
    for (PluginRefusal refusal : host.refusals()) {
      findings.add(
          Finding.note(
              "plugin " + refusal.plugin(),
              "refused: " + refusal.reason(),
              refusal.line() + "; or remove it from [" + host.directory() + "]"));
    }
    PluginBinding binding;
    try {
      binding = PluginBinding.of(config, host);
    } catch (ConfigException wrong) {
      findings.add(
          Finding.bad(
              "plugins",
              String.valueOf(wrong.getMessage()).replace("\n", "; "),
              "mend the configuration, or put the plugin into [" + host.directory() + "]"));
      return findings;
    }
    findings.add(
        Finding.good("plugins", host.plugins().size() + " loaded from [" + host.directory() + "]"));
    List<String> missing = DefaultPolicies.missing(config.policies(), host);
    if (!missing.isEmpty()) {
      findings.add(
          Finding.note(
              "policies",
              "no plugin offers the default of ["
                  + String.join(", ", missing)
                  + "]: what is built"
                  + " in serves there",
              "put the plugin into [" + host.directory() + "], or write none for the slot"));
    }
    binding.backingTier().ifPresent(tier -> findings.addAll(store(binding, tier, config.cells())));
    return findings;
  }

  private static List<Finding> store(
      PluginBinding binding, Provided<BackingTierFactory<?>> tier, Optional<ArmSplit> cells) {
    try {
      return tier.call(factory -> diagnose(binding, tier, factory, cells));
    } catch (RuntimeException | LinkageError failed) {
      return List.of(
          Finding.bad(
              "backing tier " + tier.factory().name(),
              "its own look at the machine failed with [" + failed + "]",
              "ask the author of plugin [" + tier.plugin().id() + "]"));
    }
  }

  private static <S extends Record> List<Finding> diagnose(
      PluginBinding binding,
      Provided<?> provided,
      BackingTierFactory<S> factory,
      Optional<ArmSplit> cells) {
    S settings = binding.settings(provided, factory.settings());
    if (cells.isEmpty()) {
      return List.copyOf(factory.diagnose(settings));
    }
    List<Finding> findings = new ArrayList<>();
    double shareOfFirst = cells.get().percent() / 100.0;
    for (int cell = 0; cell < 2; cell++) {
      Optional<S> part;
      try {
        part = factory.part(settings, cell, cell == 0 ? shareOfFirst : 1 - shareOfFirst);
      } catch (IllegalStateException undividable) {
        return List.of(undivided(factory, String.valueOf(undividable.getMessage())));
      }
      if (part.isEmpty()) {
        return List.of(undivided(factory, "it cannot be divided into cells"));
      }
      findings.addAll(factory.diagnose(part.get()));
    }
    return List.copyOf(findings);
  }

  private static Finding undivided(BackingTierFactory<?> factory, String why) {
    return Finding.bad(
        "backing tier " + factory.name(),
        why,
        "use another backing tier or path, or take isolation: partition out of ab.assign");
  }
}
