package io.orbitkv.workload.sim.run;

import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import io.orbitkv.kernel.Event;
import io.orbitkv.workload.sim.hardware.Chance;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The pages that somebody asks for.
 *
 * @param groups ascending
 * @param pagesOfGroup as many counts
 * @param names of the pages, group after group
 * @param demand of a selected boundary, or null
 */
record Wish(int[] groups, int[] pagesOfGroup, long[] names, @Nullable RecoveryDemand demand) {
  private static final int LONG_QUERY = 40;

  /** A prefix of some chain. */
  static Wish dense(Hands hands, Chance chance) {
    int longest = chance.oneIn(20) ? LONG_QUERY : Hands.CHAIN_PAGES;
    long[] names = hands.chain(chance, 0, 1 + chance.below(longest));
    return new Wish(new int[1], new int[] {names.length}, names, null);
  }

  /** All that a model with several groups needs to go on from a boundary. */
  static Wish selected(Shape shape, Hands hands, Chance chance) {
    int end = 1 + chance.below(8);
    int start = chance.oneIn(4) ? chance.below(end) : 0;
    RecoveryDemand demand =
        RecoveryDemand.compile(
            Shape.PAGE_TOKENS, start * Shape.PAGE_TOKENS, end * Shape.PAGE_TOKENS, shape.groups());
    long[] chain = hands.chain(chance, 0, end);
    int[] groups = new int[demand.ranges().size()];
    int[] pagesOfGroup = new int[groups.length];
    long[] names = new long[0];
    for (int i = 0; i < groups.length; i++) {
      GroupRange range = demand.ranges().get(i);
      groups[i] = range.group();
      pagesOfGroup[i] = range.pages(Shape.PAGE_TOKENS);
      int from = range.startToken() / Shape.PAGE_TOKENS;
      int before = names.length;
      names = Arrays.copyOf(names, before + pagesOfGroup[i]);
      System.arraycopy(chain, from, names, before, pagesOfGroup[i]);
    }
    return new Wish(groups, pagesOfGroup, names, demand);
  }

  /** The whole span in some groups, to learn where pages are. */
  static Wish discovery(Shape shape, Hands hands, Chance chance) {
    long[] chain = hands.chain(chance, 0, 1 + chance.below(Hands.CHAIN_PAGES));
    int count = 1 + chance.below(shape.groups().size());
    int[] groups = new int[count];
    int[] pagesOfGroup = new int[count];
    long[] names = new long[count * chain.length];
    for (int i = 0; i < count; i++) {
      groups[i] = i;
      pagesOfGroup[i] = chain.length;
      System.arraycopy(chain, 0, names, i * chain.length, chain.length);
    }
    return new Wish(groups, pagesOfGroup, names, null);
  }

  /** The group of each page. */
  int[] groupOfEach() {
    int[] each = new int[names.length];
    int place = 0;
    for (int i = 0; i < groups.length; i++) {
      Arrays.fill(each, place, place + pagesOfGroup[i], groups[i]);
      place += pagesOfGroup[i];
    }
    return each;
  }

  Event.Submit submit(
      long session,
      long operation,
      int revision,
      int record,
      int instance,
      QueryKind kind,
      String requestId) {
    return new Event.Submit(
        session,
        operation,
        revision,
        record,
        instance,
        kind,
        requestId,
        groups.clone(),
        pagesOfGroup.clone(),
        Hands.keys(names),
        demand);
  }
}
