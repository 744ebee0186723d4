package io.orbitkv.manager.policy;

import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What a policy is asked.
 *
 * @param call policy thread: the call of the policy
 * @param sensible policy thread: whether the answer can be used at all
 * @param byDefault what stands when the policy does not answer, in time and with sense
 */
public record Question<P, A>(
    Function<? super P, ? extends A> call, Predicate<? super A> sensible, A byDefault) {}
