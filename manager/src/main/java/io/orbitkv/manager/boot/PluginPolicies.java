package io.orbitkv.manager.boot;

import io.orbitkv.api.policy.Policy;
import io.orbitkv.api.policy.PolicyContext;
import io.orbitkv.api.policy.PolicyFactory;
import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.config.BoundPolicy;
import io.orbitkv.manager.config.ConfigSource;
import io.orbitkv.manager.config.ConfigurationFile;
import io.orbitkv.manager.config.DefaultPolicies;
import io.orbitkv.manager.config.ManagerConfig;
import io.orbitkv.manager.config.PolicyBinding;
import io.orbitkv.manager.config.PolicyChoice;
import io.orbitkv.manager.config.PolicySettings;
import io.orbitkv.manager.config.ShadowBinding;
import io.orbitkv.manager.config.ShadowChoices;
import io.orbitkv.manager.config.ShownValue;
import io.orbitkv.manager.experiment.ConfigurationText;
import io.orbitkv.manager.experiment.ExperimentReader;
import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.plugin.Provided;
import io.orbitkv.manager.plugin.ScopedMeters;
import io.orbitkv.manager.policy.PolicyCatalog;
import io.orbitkv.manager.policy.PolicySpec;
import io.orbitkv.manager.policy.ShadowPlan;
import io.orbitkv.manager.policy.SlotPlan;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Origin;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The policies of the plugins that are there, for the configuration and for whoever swaps one. */
final class PluginPolicies implements PolicyCatalog {
  private static final String POLICIES = "policies.";
  private static final String JOURNAL = "policies.journal.";

  private final ManagerConfig config;
  private final PluginHost host;
  // What was read last.
  private volatile ManagerConfig read;

  PluginPolicies(ManagerConfig config, PluginHost host) {
    this.config = config;
    this.read = config;
    this.host = host;
  }

  @Override
  public Map<PolicySlot, List<Named>> configured() {
    return named(config.policies());
  }

  @Override
  public ConfigNode.Mapping section() {
    return read.settings().policies();
  }

  @Override
  public ConfigNode.Mapping experiment() {
    return read.settings().ab();
  }

  @Override
  public Map<PolicySlot, List<Named>> named(ConfigNode.Mapping policies) {
    return named(ConfigurationFile.policies(policies));
  }

  private static Map<PolicySlot, List<Named>> named(List<PolicyChoice> choices) {
    Map<PolicySlot, List<Named>> named = new EnumMap<>(PolicySlot.class);
    for (PolicyChoice choice : choices) {
      named
          .computeIfAbsent(choice.slot(), _ -> new ArrayList<>())
          .add(new Named(choice.name(), choice.settings()));
    }
    return named;
  }

  @Override
  public Reloaded reload() {
    ConfigSource source = config.source();
    if (source == null || source.file() == null) {
      throw new ConfigException(
          List.of(
              new ConfigProblem(
                  "", "", "the Manager was started without a file: start it with --config FILE")));
    }
    ManagerConfig again = source.read();
    refuseOtherChanges(again);
    List<String> notes = notes(again);
    read = again;
    return new Reloaded(named(again.policies()), notes);
  }

  private List<String> notes(ManagerConfig again) {
    String before = ConfigurationText.of(read.settings().ab());
    return ConfigurationText.of(again.settings().ab()).equals(before)
        ? List.of()
        : List.of(
            "the section ["
                + ExperimentReader.KEY
                + "] is another than before: `orbitkv ab start` takes it from now on; a reload"
                + " begins, changes and ends no experiment");
  }

  // Compared as written: what is derived may be another because the machine is.
  private void refuseOtherChanges(ManagerConfig again) {
    Map<String, ShownValue> before = fixed(config);
    Problems problems = new Problems();
    fixed(again)
        .forEach((key, value) -> {
          ShownValue old = before.get(key);
          if (old == null || !old.value().equals(value.value())) {
            problems.add(
                new ConfigProblem(
                    value.origin() instanceof Origin.File(Place place)
                        ? place.toString()
                        : String.valueOf(source(again)),
                    key,
                    "is ["
                        + value.value()
                        + "] now, and the Manager runs with ["
                        + (old == null ? "" : old.value())
                        + "]: a reload changes policies alone; put it back, or restart"));
          }
        });
    if (!again.cells().equals(config.cells())) {
      problems.add(
          new ConfigProblem(
              String.valueOf(source(again)),
              ExperimentReader.KEY + ".assign",
              "says "
                  + cells(again)
                  + " now, and the Manager runs with "
                  + cells(config)
                  + ": tiers are divided before the first page is in them; put it back, or"
                  + " restart"));
    }
    problems.throwIfAny();
  }

  private static String cells(ManagerConfig config) {
    return config
        .cells()
        .map(split ->
            "two cells (split ["
                + split.percent()
                + ", "
                + (100 - split.percent())
                + "], salt ["
                + split.salt()
                + "])")
        .orElse("one cell");
  }

  private static Object source(ManagerConfig config) {
    ConfigSource source = config.source();
    return source == null || source.file() == null ? "" : source.file();
  }

  private static Map<String, ShownValue> fixed(ManagerConfig config) {
    Map<String, ShownValue> fixed = new LinkedHashMap<>();
    for (ShownValue value : config.values()) {
      boolean policies = value.key().startsWith(POLICIES) && !value.key().startsWith(JOURNAL);
      // An experiment begins when it is asked for, with what the file says then.
      boolean experiment = value.key().equals(ExperimentReader.KEY);
      // In brackets: no key, follows from others.
      if (!policies && !experiment && !value.key().startsWith("(")) {
        fixed.put(value.key(), value);
      }
    }
    return fixed;
  }

  @Override
  public SlotPlan bind(PolicySlot slot, List<Named> named) {
    List<PolicyChoice> choices =
        named.stream()
            .map(each ->
                new PolicyChoice(slot, each.policy(), each.settings(), each.settings().place()))
            .toList();
    PolicyBinding.bind(choices, host);
    List<PolicyChoice> completed =
        DefaultPolicies.completed(choices, host).stream()
            .filter(choice -> choice.slot() == slot)
            .toList();
    List<BoundPolicy> bound = PolicyBinding.bind(completed, host);
    if (bound.isEmpty()) {
      return named.isEmpty() ? SlotPlan.KERNEL : SlotPlan.builtIn(named.getFirst().policy());
    }
    return SlotPlan.of(bound.stream().map(PluginPolicies::spec).toList());
  }

  @Override
  public ShadowPlan shadows() {
    ShadowChoices chosen = read.shadows();
    List<ShadowPlan.Shadow> shadows = new ArrayList<>();
    for (ShadowBinding.BoundShadow bound : ShadowBinding.bind(chosen.shadows(), host)) {
      PolicySpec policy = bound.policy().map(PluginPolicies::spec).orElse(null);
      String name = policy == null ? bound.choice().name() : policy.name();
      shadows.add(new ShadowPlan.Shadow(bound.choice().slot(), name, policy));
    }
    return new ShadowPlan(chosen.section().share(), chosen.section().memory().bytes(), shadows);
  }

  private static PolicySpec spec(BoundPolicy bound) {
    Provided<PolicyFactory<?>> provided = bound.provided();
    Record settings = bound.settings();
    String name = provided.factory().name();
    return new PolicySpec(
        name,
        provided.plugin().id(),
        bound.settingsText(),
        List.of(name, settings),
        context -> provided.call(factory -> create(factory, settings, context)),
        epoch -> {
          ScopedMeters meters = provided.scope().policyMeters(name, epoch);
          return new PolicySpec.InstanceMeters(meters, meters::close);
        },
        provided.scope().log(),
        provided.factory().settings().getClassLoader());
  }

  private static <S extends Record> Policy create(
      PolicyFactory<S> factory, Record settings, PolicyContext context) {
    return factory.create().apply(factory.settings().cast(settings), context);
  }

  @Override
  public ConfigNode.Mapping settings(Map<String, String> pairs) {
    return PolicySettings.pairs(pairs);
  }

  @Override
  public ConfigNode.Mapping settings(String source, String yaml) {
    return PolicySettings.yaml(source, yaml);
  }

  @Override
  public List<Named> value(PolicySlot slot, String source, String yaml) {
    return PolicySettings.value(slot, source, yaml).stream()
        .map(choice -> new Named(choice.name(), choice.settings()))
        .toList();
  }

  @Override
  public List<String> names(PolicySlot slot) {
    return PolicyBinding.names(host, slot);
  }
}
