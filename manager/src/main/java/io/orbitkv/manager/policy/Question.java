package io.orbitkv.manager.policy;

import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a policy is asked.
 *
 * @param call policy thread: the call of the policy
 * @param sensible policy thread: whether the answer can be used at all
 * @param byDefault what stands when the policy does not answer, in time and with sense
 * @param done the policy does not use anything of the question any more, and never will: after the
 *     call, or instead of it; before the answer is handed out. Policy thread or owner
 */
public record Question<P, A>(
    Function<? super P, ? extends A> call,
    Predicate<? super A> sensible,
    A byDefault,
    Runnable done) {
  /** A question that lends nothing to the policy. */
  public Question(
      Function<? super P, ? extends A> call, Predicate<? super A> sensible, A byDefault) {
    this(call, sensible, byDefault, () -> {});
  }
}
