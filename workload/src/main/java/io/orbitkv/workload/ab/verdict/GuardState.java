package io.orbitkv.workload.ab.verdict;

/**
 * What the runs say of a guard.
 *
 * @param guard which
 * @param compared its measure
 * @param state what came of it
 */
public record GuardState(Criteria.Guard guard, Compared compared, State state) {
  /** What came of it. */
  public enum State {
    /** The measure is inside the limit with 95 %. */
    HELD("held"),
    /** It may be inside or outside. */
    UNPROVEN("not proven"),
    /** The measure is beyond the limit with 95 %; B is no winner then. */
    VIOLATED("violated");

    private final String text;

    State(String text) {
      this.text = text;
    }

    /** As it is written in reports. */
    public String text() {
      return text;
    }
  }

  /** One-sided: only harm counts, and only that of B: A is what there was. */
  static GuardState of(Criteria.Guard guard, Compared compared) {
    double limit =
        compared.measure().harm(compared.scale().ofRelativeChange(guard.limit(), compared.a()));
    State state =
        compared.mostHarm() <= limit
            ? State.HELD
            : compared.leastHarm() > limit ? State.VIOLATED : State.UNPROVEN;
    return new GuardState(guard, compared, state);
  }
}
