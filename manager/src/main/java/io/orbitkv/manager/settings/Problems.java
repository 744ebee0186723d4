package io.orbitkv.manager.settings;

import java.util.ArrayList;
import java.util.List;

/** Collects what is wrong, so that a user mends a file once and not once a mistake. One thread. */
public final class Problems {
  /** More than this are counted and not told. */
  public static final int LIMIT = 20;

  private final List<ConfigProblem> problems = new ArrayList<>();
  private int untold;

  /** Nothing wrong yet. */
  public Problems() {}

  /** Notes a problem at a place. */
  public void add(Place place, String key, String message) {
    add(ConfigProblem.at(place, key, message));
  }

  /** Notes a problem. */
  public void add(ConfigProblem problem) {
    if (problems.size() < LIMIT) {
      problems.add(problem);
    } else {
      untold++;
    }
  }

  /** Notes all problems of a failure. */
  public void addAll(ConfigException failure) {
    failure.problems().forEach(this::add);
  }

  /** Whether a section itself, or a key in it, is wrong. */
  public boolean concern(String section) {
    return problems.stream()
        .anyMatch(
            problem -> problem.key().equals(section) || problem.key().startsWith(section + "."));
  }

  /** Whether nothing is wrong so far. */
  public boolean isEmpty() {
    return problems.isEmpty();
  }

  /**
   * Ends the collection.
   *
   * @throws ConfigException when anything is wrong
   */
  public void throwIfAny() {
    if (problems.isEmpty()) {
      return;
    }
    if (untold > 0) {
      String where = problems.getLast().where();
      problems.add(
          new ConfigProblem(where, "", "[" + untold + "] more problems: mend those above first"));
    }
    throw new ConfigException(problems);
  }
}
