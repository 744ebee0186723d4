package io.orbitkv.manager.plugin;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * In which order plugins are loaded. PF4J goes by the time at which files were changed; a layer
 * needs its parents first, and equal installations should load equally, so: dependencies first,
 * then by id.
 *
 * @param order ids of those that can be loaded
 * @param refused why the others cannot, by id
 */
record DependencyOrder(List<String> order, SortedMap<String, RefusedException> refused) {
  /**
   * Orders descriptors.
   *
   * @param installed by id
   * @param refusedBefore ids of plugins that are installed but refused already
   */
  static DependencyOrder of(SortedMap<String, Descriptor> installed, Set<String> refusedBefore) {
    SortedMap<String, RefusedException> refused = new TreeMap<>();
    List<String> order = new ArrayList<>();
    Set<String> ordered = new HashSet<>();
    boolean moved = true;
    while (moved) {
      moved = false;
      for (Descriptor plugin : installed.values()) {
        if (ordered.contains(plugin.id()) || refused.containsKey(plugin.id())) {
          continue;
        }
        Optional<RefusedException> unmet = unmet(plugin, installed, refused, refusedBefore);
        if (unmet.isPresent()) {
          refused.put(plugin.id(), unmet.get());
          moved = true;
        } else if (plugin.dependencies().stream().allMatch(d -> ordered.contains(d.id()))) {
          order.add(plugin.id());
          ordered.add(plugin.id());
          // From the first id again: the order must not depend on where a chain was entered.
          moved = true;
          break;
        }
      }
      moved |= !moved && refuseOneCycle(installed, ordered, refused);
    }
    return new DependencyOrder(List.copyOf(order), refused);
  }

  private static Optional<RefusedException> unmet(
      Descriptor plugin,
      SortedMap<String, Descriptor> installed,
      SortedMap<String, RefusedException> refused,
      Set<String> refusedBefore) {
    for (Descriptor.Dependency dependency : plugin.dependencies()) {
      Descriptor needed = installed.get(dependency.id());
      if (refused.containsKey(dependency.id()) || refusedBefore.contains(dependency.id())) {
        return Optional.of(needsRefused(dependency.id()));
      }
      if (needed == null) {
        return Optional.of(
            new RefusedException(
                "it needs the plugin [" + dependency.id() + "], which is not installed",
                "install [" + dependency.id() + "] " + dependency.range() + " too"));
      }
      if (!Descriptor.inRange(needed.version(), dependency.range())) {
        return Optional.of(
            new RefusedException(
                "it needs the plugin ["
                    + dependency.id()
                    + "] in a version ["
                    + dependency.range()
                    + "], and ["
                    + needed.version()
                    + "] is installed",
                "install versions that fit each other"));
      }
    }
    return Optional.empty();
  }

  static RefusedException needsRefused(String id) {
    return new RefusedException(
        "it needs the plugin [" + id + "], which is refused itself",
        "mend [" + id + "] first: its own line says how");
  }

  /** Refuses the plugins of one cycle; what depends on them finds that out by itself. */
  private static boolean refuseOneCycle(
      SortedMap<String, Descriptor> installed,
      Set<String> ordered,
      SortedMap<String, RefusedException> refused) {
    for (Descriptor start : installed.values()) {
      if (ordered.contains(start.id()) || refused.containsKey(start.id())) {
        continue;
      }
      // Everybody left waits for somebody left: walking along must come round.
      Set<String> path = new LinkedHashSet<>();
      String at = start.id();
      while (path.add(at)) {
        at = waitsFor(installed, at, ordered);
      }
      List<String> cycle = new ArrayList<>(path);
      cycle = cycle.subList(cycle.indexOf(at), cycle.size());
      String told = String.join(" -> ", cycle) + " -> " + at;
      for (String id : cycle) {
        refused.put(
            id,
            new RefusedException(
                "it depends on itself: [" + told + "]", "break the cycle in plugin.dependencies"));
      }
      return true;
    }
    return false;
  }

  private static String waitsFor(
      SortedMap<String, Descriptor> installed, String id, Set<String> ordered) {
    Descriptor plugin = installed.get(id);
    if (plugin == null) {
      throw new AssertionError("plugin [" + id + "] waits for one that is not installed");
    }
    return plugin.dependencies().stream()
        .map(Descriptor.Dependency::id)
        .filter(dependency -> !ordered.contains(dependency))
        .findFirst()
        .orElseThrow();
  }
}
