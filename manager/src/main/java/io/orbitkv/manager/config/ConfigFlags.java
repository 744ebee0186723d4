package io.orbitkv.manager.config;

import io.orbitkv.manager.settings.ConfigException;
import io.orbitkv.manager.settings.ConfigProblem;
import io.orbitkv.manager.settings.Nearest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The flags of one command line, by the key that each sets. Mutable; one thread. */
public final class ConfigFlags {
  /** The flags of the daemon that the seeds describe, and where the socket is. */
  public static final List<ConfigFlag> ALL =
      List.of(
          new ConfigFlag("--pool-size", "memory.pool-size", false, ""),
          new ConfigFlag("--ssd-cache-path", "ssd.paths", true, ""),
          new ConfigFlag("--ssd-cache-capacity", "ssd.capacity", false, ""),
          new ConfigFlag("--query-budget", "query.budget", false, ""),
          new ConfigFlag("--query-instance-budget", "query.instance-budget", false, ""),
          new ConfigFlag("--query-read-batch", "query.read-batch", false, ""),
          new ConfigFlag("--query-read-max-batches", "query.read-max-batches", false, ""),
          new ConfigFlag("--query-read-timeout-ms", "query.read-timeout", false, "ms"),
          new ConfigFlag("--socket", "socket", false, ""));

  private final Map<String, FlagValue> byKey = new LinkedHashMap<>();

  /** No flag yet. */
  public ConfigFlags() {}

  /**
   * Takes a flag in.
   *
   * @throws ConfigException when there is no such flag, when it is given twice, or when its value
   *     is not a whole number although its unit is in its name
   */
  public ConfigFlags set(String flag, String value) {
    ConfigFlag known =
        ALL.stream()
            .filter(each -> each.name().equals(flag))
            .findFirst()
            .orElseThrow(() ->
                refused(
                    flag,
                    "is not a flag: "
                        + Nearest.suggestion(flag, ALL.stream().map(ConfigFlag::name).toList())));
    if (!known.unit().isEmpty() && !value.strip().matches("\\d{1,12}")) {
      throw refused(
          flag, "[" + value + "] is not a whole number: its unit is " + known.unit() + " already");
    }
    String text = value + (known.unit().isEmpty() ? "" : known.unit());
    FlagValue before = byKey.get(known.key());
    if (before != null && !known.repeatable()) {
      throw refused(flag, "is given twice: leave one out");
    }
    List<String> values = new ArrayList<>(before == null ? List.of() : before.values());
    values.add(text);
    byKey.put(known.key(), new FlagValue(values, flag));
    return this;
  }

  /** What the flags set, in the order of the command line. */
  public Map<String, FlagValue> byKey() {
    return java.util.Collections.unmodifiableMap(new LinkedHashMap<>(byKey));
  }

  private static ConfigException refused(String flag, String message) {
    return new ConfigException(List.of(new ConfigProblem(flag, "", message)));
  }
}
