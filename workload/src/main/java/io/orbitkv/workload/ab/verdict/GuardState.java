package io.orbitkv.workload.ab.verdict;

/**
 * What the runs say of a guard.
 *
 * @param guard which
 * @param compared its measure
 * @param winner for whom it stood: the guard of a change that loses guards nobody
 * @param state what came of it
 */
public record GuardState(Criteria.Guard guard, Compared compared, Verdict winner, State state) {
  /** What came of it. */
  public enum State {
    /** The measure is inside the limit with 95 %. */
    HELD("held"),
    /** It may be inside or outside. */
    UNPROVEN("not proven"),
    /** The measure is beyond the limit with 95 %; there is no winner then. */
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

  /** One-sided: only harm counts. For A the roles are exchanged. */
  static GuardState of(Criteria.Guard guard, Compared compared, Verdict winner) {
    double base = winner == Verdict.A ? compared.b() : compared.a();
    double limit = compared.measure().harm(compared.scale().ofRelativeChange(guard.limit(), base));
    double least = winner == Verdict.A ? -compared.mostHarm() : compared.leastHarm();
    double most = winner == Verdict.A ? -compared.leastHarm() : compared.mostHarm();
    State state = most <= limit ? State.HELD : least > limit ? State.VIOLATED : State.UNPROVEN;
    return new GuardState(guard, compared, winner, state);
  }
}
