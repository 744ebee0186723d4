package io.orbitkv.workload.ab.live;

/** Why a pair does not count. */
public enum VoidCause {
  /** A restored byte was not what its key demands, or was not compared. */
  WRONG_BYTE("wrong byte"),
  /** More query bytes were reserved than the budget allows. */
  BUDGET_BREACH("budget breach"),
  /** Something was still reserved, held or under way at the end. */
  UNDRAINED("undrained"),
  /** A policy was late, failed or was abandoned, and a default stood in its place. */
  POLICY_FALLBACK("policy fallback"),
  /** The runs of a pair did not complete the same requests. */
  UNEQUAL_REQUESTS("unequal number of completed requests");

  private final String text;

  VoidCause(String text) {
    this.text = text;
  }

  /** In words. */
  public String text() {
    return text;
  }
}
