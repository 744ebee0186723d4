package io.orbitkv.manager.settings;

import java.io.Serial;
import java.util.List;
import java.util.stream.Collectors;

/** A configuration that cannot be used. The message has one line for each problem. */
public final class ConfigException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final transient List<ConfigProblem> problems;

  /** Takes one problem or more. */
  public ConfigException(List<ConfigProblem> problems) {
    super(problems.stream().map(ConfigProblem::line).collect(Collectors.joining("\n")));
    this.problems = List.copyOf(problems);
  }

  /** What is wrong, in the order in which it was found. */
  public List<ConfigProblem> problems() {
    return problems;
  }
}
