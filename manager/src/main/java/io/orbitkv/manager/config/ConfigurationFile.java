package io.orbitkv.manager.config;

import io.orbitkv.manager.settings.ConfigNode;
import io.orbitkv.manager.settings.Problems;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A configuration as a tree, for those who compare or change one before it is loaded. */
public final class ConfigurationFile {
  private ConfigurationFile() {}

  /**
   * Reads a file.
   *
   * @throws io.orbitkv.manager.settings.ConfigException when it cannot be read, or with every key
   *     that is set twice
   */
  public static ConfigNode.Mapping read(Path file) {
    Problems problems = new Problems();
    ConfigNode.Mapping root = YamlReader.read(file, problems);
    problems.throwIfAny();
    return root;
  }

  /**
   * Reads a text.
   *
   * @param source what messages call it
   */
  public static ConfigNode.Mapping parse(String source, byte[] text) {
    return YamlReader.parse(source, text);
  }

  /**
   * Checks a tree as {@link ManagerConfig#load} checks a file.
   *
   * @throws io.orbitkv.manager.settings.ConfigException with everything that is wrong, at the
   *     places that the tree names
   */
  public static ManagerConfig check(ConfigNode.Mapping root, HostFacts facts) {
    return ManagerConfig.of(root, Map.of(), facts);
  }

  /**
   * What a section {@code policies} names.
   *
   * @throws io.orbitkv.manager.settings.ConfigException with everything that is wrong, but for what
   *     only plugins know
   */
  public static List<PolicyChoice> policies(ConfigNode.Mapping policies) {
    Problems problems = new Problems();
    List<PolicyChoice> choices = PolicyChoices.of(policies, problems).choices();
    problems.throwIfAny();
    return choices;
  }
}
