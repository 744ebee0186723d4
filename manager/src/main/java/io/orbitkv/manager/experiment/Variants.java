package io.orbitkv.manager.experiment;

import io.orbitkv.api.policy.PolicySlot;
import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Place;
import io.orbitkv.manager.settings.Problems;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two whole configurations that an experiment compares.
 *
 * @param a of variant A, without the section {@code ab}
 * @param b of variant B, the same
 * @param differing slots whose policies differ
 * @param allowed other keys that differ and may
 */
public record Variants(
    ConfigNode.Mapping a, ConfigNode.Mapping b, Set<PolicySlot> differing, List<String> allowed) {
  private static final String POLICIES = "policies";

  /** Copies the collections. */
  public Variants {
    differing = Set.copyOf(differing);
    allowed = List.copyOf(allowed);
  }

  /** The variants of a plan in one configuration. */
  public static Variants of(ConfigNode.Mapping root, ExperimentPlan plan) {
    ConfigNode.Mapping policies = policies(root);
    return of(
        with(root, PolicyPatch.apply(policies, plan.patchOfA())),
        with(root, PolicyPatch.apply(policies, plan.patchOfB())),
        List.of());
  }

  /**
   * Two configurations of their own.
   *
   * @param allow keys that may differ beside {@code policies}; a section allows all below it
   * @throws ConfigException naming each other difference with its place
   */
  public static Variants of(ConfigNode.Mapping a, ConfigNode.Mapping b, List<String> allow) {
    ConfigNode.Mapping ownA = with(a, policies(a));
    ConfigNode.Mapping ownB = with(b, policies(b));
    Problems problems = new Problems();
    Set<String> different = new LinkedHashSet<>();
    compare(ownA, ownB, "", allow, different, problems);
    problems.throwIfAny();
    return new Variants(
        ownA, ownB, PolicyPatch.differing(policies(ownA), policies(ownB)), List.copyOf(different));
  }

  /**
   * Refuses an isolation that would mislead here.
   *
   * @param turnover time in which the cache's content is replaced; zero when not known
   * @throws ConfigException with the reason and the place of the assignment
   */
  public void requireSound(Assignment assignment, Place place, Duration turnover) {
    Optional<String> refusal =
        assignment.isolation().refusal(differing, assignment.slot(), turnover);
    if (refusal.isPresent()) {
      throw new ConfigException(
          List.of(
              ConfigProblem.at(place, ExperimentReader.KEY + ".assign.isolation", refusal.get())));
    }
  }

  /** The section {@code policies}; an empty one when there is none. */
  public static ConfigNode.Mapping policies(ConfigNode.Mapping root) {
    return root.entry(POLICIES).map(ConfigNode.Entry::value).orElse(null)
            instanceof ConfigNode.Mapping mapping
        ? mapping
        : ConfigNode.Mapping.empty(root.place());
  }

  private static ConfigNode.Mapping with(ConfigNode.Mapping root, ConfigNode.Mapping policies) {
    List<ConfigNode.Entry> entries = new ArrayList<>();
    for (ConfigNode.Entry entry : root.entries()) {
      if (!entry.key().equals(POLICIES) && !entry.key().equals(ExperimentReader.KEY)) {
        entries.add(entry);
      }
    }
    if (!policies.entries().isEmpty()) {
      entries.add(new ConfigNode.Entry(POLICIES, policies.place(), policies));
    }
    return new ConfigNode.Mapping(root.place(), entries);
  }

  private static void compare(
      ConfigNode.Mapping a,
      ConfigNode.Mapping b,
      String prefix,
      List<String> allow,
      Set<String> different,
      Problems problems) {
    Set<String> keys = new LinkedHashSet<>();
    a.entries().forEach(entry -> keys.add(entry.key()));
    b.entries().forEach(entry -> keys.add(entry.key()));
    for (String name : keys) {
      String key = prefix.isEmpty() ? name : prefix + "." + name;
      if (key.equals(POLICIES)) {
        continue;
      }
      ConfigNode.@Nullable Entry ofA = a.entry(name).orElse(null);
      ConfigNode.@Nullable Entry ofB = b.entry(name).orElse(null);
      if (ofA != null
          && ofB != null
          && ofA.value() instanceof ConfigNode.Mapping below
          && ofB.value() instanceof ConfigNode.Mapping belowB) {
        compare(below, belowB, key, allow, different, problems);
      } else if (!text(ofA).equals(text(ofB))) {
        if (allow.stream().anyMatch(may -> key.equals(may) || key.startsWith(may + "."))) {
          different.add(key);
        } else {
          Place place = ofB != null ? ofB.keyPlace() : ofA != null ? ofA.keyPlace() : b.place();
          problems.add(
              place,
              key,
              "is "
                  + text(ofB)
                  + ", and "
                  + text(ofA)
                  + " in the other configuration: only policies may differ, or the verdict is about"
                  + " something else; make them equal or allow it by --allow "
                  + key);
        }
      }
    }
  }

  private static String text(ConfigNode.@Nullable Entry entry) {
    return entry == null ? "not set" : "[" + plain(entry.value()) + "]";
  }

  private static String plain(ConfigNode node) {
    return node instanceof ConfigNode.Scalar scalar
        ? scalar.text()
        : ConfigurationText.of(node).replaceAll("\\s+", " ");
  }
}
