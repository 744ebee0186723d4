package io.orbitkv.kernel.operation;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.kernel.Event;
import io.orbitkv.kernel.OperationLimits;
import io.orbitkv.kernel.instance.Instance;
import org.jspecify.annotations.Nullable;

/**
 * Why a query is refused at the door, before it touches anything.
 *
 * @param error for the client's code
 * @param message for the client's author
 */
public record SubmitProblem(ErrorCode error, String message) {
  /** What is wrong with the query itself, or null. */
  public static @Nullable SubmitProblem of(Event.Submit submit, OperationLimits limits) {
    String contradiction = contradiction(submit, limits.maxQueryPages());
    return contradiction == null ? null : invalid(contradiction);
  }

  /** Why a query that {@link #of} found right does not fit its sealed instance, or null. */
  public static @Nullable SubmitProblem unfit(Event.Submit submit, Instance instance) {
    String misfit = misfit(submit, instance);
    return misfit == null ? null : invalid(misfit);
  }

  private static SubmitProblem invalid(String message) {
    return new SubmitProblem(ErrorCode.INVALID, message);
  }

  /** The handle names no live generation. */
  public static SubmitProblem unknownInstance(Event.Submit submit) {
    return new SubmitProblem(
        ErrorCode.UNKNOWN,
        "instance [" + submit.instance() + "] is not registered (any more): attach again");
  }

  /** Ranks are missing. */
  public static SubmitProblem notSealed(Instance instance) {
    return new SubmitProblem(
        ErrorCode.NOT_SEALED,
        "not all workers of instance [" + instance.name() + "] have registered");
  }

  private static @Nullable String contradiction(Event.Submit submit, int maxQueryPages) {
    if (submit.operation() <= 0 || submit.revision() <= 0) {
      return "id and revision [" + submit.revision() + "] must be positive";
    }
    int groups = submit.groups().length;
    if (groups == 0 || groups != submit.pagesOfGroup().length) {
      return "[" + groups + "] groups with [" + submit.pagesOfGroup().length + "] page counts";
    }
    long pages = 0;
    for (int count : submit.pagesOfGroup()) {
      if (count < 0) {
        return "[" + count + "] pages of a group";
      }
      pages += count;
    }
    if (pages == 0 || pages > maxQueryPages) {
      return "[" + pages + "] pages: must be 1.." + maxQueryPages;
    }
    int halves = submit.keys().length;
    if (halves != 2 * pages) {
      return "[" + halves + "] halves of keys for [" + pages + "] pages: must be twice as many";
    }
    boolean demand = submit.demand() != null;
    boolean dense = submit.groups().length == 1 && submit.groups()[0] == 0;
    return switch (submit.kind()) {
      case DEMAND, PRODUCER_WAIT, WARM -> {
        if (demand) {
          yield "kind [" + submit.kind() + "] takes no demand";
        }
        yield dense ? null : "kind [" + submit.kind() + "] asks for group 0 alone";
      }
      case SELECTED -> demand ? null : "kind [SELECTED] needs a demand";
      case PREPARE ->
          demand || dense
              ? null
              : "a preparation without a demand asks for group 0 alone: name the demand";
      case DISCOVER -> {
        if (demand) {
          yield "kind [DISCOVER] takes no demand";
        }
        yield submit.record() == Event.NO_RECORD
            ? null
            : "positions come over the socket: discover without a board record";
      }
    };
  }

  private static @Nullable String misfit(Event.Submit submit, Instance instance) {
    int previous = -1;
    for (int group : submit.groups()) {
      if (group <= previous || group >= instance.groups()) {
        return "group ["
            + group
            + "] after ["
            + previous
            + "]: groups must ascend and be among the ["
            + instance.groups()
            + "] registered ones";
      }
      previous = group;
    }
    RecoveryDemand demand = submit.demand();
    if (demand == null) {
      return null;
    }
    String problem = instance.model().contract().check(demand);
    if (problem != null) {
      return problem;
    }
    if (submit.groups().length != instance.groups()) {
      return "[" + submit.groups().length + "] groups: a demand asks for all registered ones";
    }
    for (int i = 0; i < submit.groups().length; i++) {
      int pages = demand.ranges().get(i).pages(demand.pageTokens());
      if (submit.pagesOfGroup()[i] != pages) {
        return "group ["
            + i
            + "] has ["
            + submit.pagesOfGroup()[i]
            + "] keys for a range of ["
            + pages
            + "] pages";
      }
    }
    return null;
  }
}
