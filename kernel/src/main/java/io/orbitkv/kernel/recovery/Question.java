package io.orbitkv.kernel.recovery;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.kernel.Event;
import org.jspecify.annotations.Nullable;

/**
 * What a client asked for. Arrays are the query's own, not to be changed.
 *
 * @param session the client
 * @param operation its query
 * @param revision of the query
 * @param kind of the query
 * @param groups the groups asked for
 * @param pagesOfGroup how many pages of each
 * @param keys their keys, one group after another, each as (high, low)
 * @param demand the selected boundary, if there is one
 */
public record Question(
    long session,
    long operation,
    int revision,
    QueryKind kind,
    int[] groups,
    int[] pagesOfGroup,
    long[] keys,
    @Nullable RecoveryDemand demand) {
  /** The question that a query asks. */
  public static Question of(Event.Submit submit) {
    return new Question(
        submit.session(),
        submit.operation(),
        submit.revision(),
        submit.kind(),
        submit.groups(),
        submit.pagesOfGroup(),
        submit.keys(),
        submit.demand());
  }

  /** Whether the answer is all or nothing. */
  public boolean strict() {
    return demand != null || kind == QueryKind.SELECTED || kind == QueryKind.PRODUCER_WAIT;
  }
}
