package io.orbitkv.kernel.operation;

import io.orbitkv.api.query.ErrorCode;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.kernel.Event;
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
  public static @Nullable SubmitProblem of(Event.Submit submit, int maxQueryPages) {
    String contradiction = contradiction(submit, maxQueryPages);
    if (contradiction != null) {
      return new SubmitProblem(ErrorCode.INVALID, contradiction);
    }
    return switch (submit.kind()) {
      case DEMAND, PRODUCER_WAIT ->
          submit.groups().length == 1 && submit.groups()[0] == QueryOperation.PREFIX_GROUP
              ? null
              : new SubmitProblem(
                  ErrorCode.UNSUPPORTED, "queries of other groups than group 0 are not offered");
      case SELECTED, DISCOVER, PREPARE, WARM ->
          new SubmitProblem(
              ErrorCode.UNSUPPORTED,
              "kind [" + submit.kind() + "] is not offered: use DEMAND or PRODUCER_WAIT");
    };
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
    boolean selected = submit.kind() == QueryKind.SELECTED;
    if (selected != (submit.demand() != null)) {
      return "kind [" + submit.kind() + "] " + (selected ? "needs a" : "takes no") + " demand";
    }
    return null;
  }
}
