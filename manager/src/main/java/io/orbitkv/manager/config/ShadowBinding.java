package io.orbitkv.manager.config;

import io.orbitkv.manager.plugin.PluginHost;
import io.orbitkv.manager.settings.Problems;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Finds shadow policies among the plugins that are there and checks their settings. */
public final class ShadowBinding {
  private ShadowBinding() {}

  /**
   * A shadow that was found.
   *
   * @param choice where it is named
   * @param policy empty for what is built in
   */
  public record BoundShadow(PolicyChoice choice, Optional<BoundPolicy> policy) {}

  /**
   * Binds them.
   *
   * @throws io.orbitkv.manager.settings.ConfigException with everything that is wrong
   */
  public static List<BoundShadow> bind(List<PolicyChoice> shadows, PluginHost host) {
    Problems problems = new Problems();
    List<BoundShadow> bound = bind(shadows, host, problems);
    problems.throwIfAny();
    return bound;
  }

  /** Binds them; what is wrong is noted and left out. */
  static List<BoundShadow> bind(List<PolicyChoice> shadows, PluginHost host, Problems problems) {
    List<BoundShadow> bound = new ArrayList<>();
    Set<List<Object>> seen = new HashSet<>();
    for (PolicyChoice shadow : shadows) {
      // Each by itself: beside others of its slot it does not serve there.
      List<BoundPolicy> found =
          new PolicyBinding(host, problems, ShadowChoices.KEY)
              .bindAll(
                  DefaultPolicies.completed(List.of(shadow), host).stream()
                      .filter(choice -> choice.slot() == shadow.slot())
                      .toList());
      Object settings = found.isEmpty() ? "" : found.getFirst().settings();
      String name = found.isEmpty() ? shadow.name() : found.getFirst().choice().name();
      if (!seen.add(List.of(shadow.slot(), name, settings))) {
        problems.add(
            shadow.place(),
            ShadowChoices.KEY + "." + shadow.slot().key(),
            "[" + name + "] is named twice with equal settings: leave one out");
      }
      bound.add(new BoundShadow(shadow, found.stream().findFirst()));
    }
    return bound;
  }
}
