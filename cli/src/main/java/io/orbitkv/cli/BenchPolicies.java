package io.orbitkv.cli;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.config.HostFacts;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.plugin.Capability;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.PluginRefusal;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.SettingsBinder;
import io.orbitkv.workload.policy.BenchedPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Policies of this installation's plugins, loaded as a Manager loads them. */
final class BenchPolicies implements AutoCloseable {
  private final PluginHost host;

  private BenchPolicies(PluginHost host) {
    this.host = host;
  }

  /**
   * Loads the plugins.
   *
   * @param also zips that are not installed, for this run
   */
  static BenchPolicies load(List<Path> also) {
    ManagerConfig config = ManagerConfig.load(null, Map.of(), HostFacts.detect());
    return new BenchPolicies(Plugins.host(config, also, "WARN"));
  }

  /** What is loaded. */
  PluginHost host() {
    return host;
  }

  /**
   * Policies by name, or all that serve in a slot.
   *
   * @param names empty for all
   * @param settings by {@code policy.key}
   * @throws CommandException when one is absent or does not serve there
   */
  List<BenchedPolicy> of(PolicySlot slot, List<String> names, Map<String, String> settings) {
    List<String> wanted = names.isEmpty() ? serving(slot) : names;
    if (wanted.isEmpty()) {
      throw CommandException.usage(
          "no plugin in ["
              + host.directory()
              + "] offers a policy for ["
              + slot.key()
              + "]: install one there");
    }
    List<BenchedPolicy> policies = new ArrayList<>();
    for (String name : wanted) {
      Provided<PolicyFactory<?>> provided = host.policy(name).orElseThrow(() -> absent(name, slot));
      if (!provided.factory().slots().contains(slot)) {
        throw CommandException.usage(
            "policy ["
                + name
                + "] does not serve in ["
                + slot.key()
                + "]: there are "
                + serving(slot));
      }
      policies.add(policy(provided, provided.factory(), settings));
    }
    return policies;
  }

  private List<String> serving(PolicySlot slot) {
    return host.names(Capability.Kind.POLICY).stream()
        .filter(name ->
            host.policy(name).filter(one -> one.factory().slots().contains(slot)).isPresent())
        .toList();
  }

  private CommandException absent(String name, PolicySlot slot) {
    String refused =
        host.refusals().stream()
            .map(PluginRefusal::line)
            .filter(line -> line.contains(name))
            .collect(Collectors.joining("; "));
    return CommandException.usage(
        "no plugin in ["
            + host.directory()
            + "] offers the policy ["
            + name
            + "]: "
            + (refused.isEmpty() ? "there are " + serving(slot) : refused));
  }

  private static <S extends Record> BenchedPolicy policy(
      Provided<?> provided, PolicyFactory<S> factory, Map<String, String> settings) {
    String prefix = factory.name() + ".";
    Map<String, ConfigNode> values = new LinkedHashMap<>();
    settings.forEach((key, value) -> {
      if (key.startsWith(prefix)) {
        values.put(
            key.substring(prefix.length()),
            new ConfigNode.Scalar(Place.flag("--set"), value, true));
      }
    });
    List<ConfigNode.Entry> entries = new ArrayList<>();
    values.forEach((key, value) -> entries.add(new ConfigNode.Entry(key, value.place(), value)));
    S bound =
        SettingsBinder.bind(
            factory.settings(), new ConfigNode.Mapping(Place.flag("--set"), entries), prefix);
    return new BenchedPolicy(
        factory.name(),
        factory.replayable(),
        context -> provided.call(any -> create(factory, bound, context)));
  }

  private static <S extends Record> Policy create(
      PolicyFactory<S> factory, S settings, PolicyContext context) {
    return factory.create().apply(settings, context);
  }

  @Override
  public void close() {
    host.close();
  }
}
