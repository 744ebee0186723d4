package io.orbitkv.workload.ab.verdict;

/** What an experiment says. */
public enum Verdict {
  /** A is better. */
  A("A"),
  /** B is better. */
  B("B"),
  /** Whatever difference there is, is smaller than the margin. */
  EQUIVALENT("equivalent"),
  /** It may be one way or the other. */
  NO_DIFFERENCE_SHOWN("no difference shown"),
  /** The runs do not allow any of the others. */
  NONE("none");

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  /** As it is written in reports. */
  public String text() {
    return text;
  }
}
