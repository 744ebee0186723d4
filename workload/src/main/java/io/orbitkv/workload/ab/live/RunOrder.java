package io.orbitkv.workload.ab.live;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/** Which variant goes first in each pair: as often the one as the other, in a drawn order. */
public final class RunOrder {
  private RunOrder() {}

  /**
   * Draws an order. Pairs come in twos of one AB and one BA, so that an experiment that ends early
   * is balanced too.
   *
   * @param pairs how many
   * @param seed same seed, same order
   * @return for each pair whether A goes first
   */
  public static List<Boolean> draw(int pairs, long seed) {
    Random random = new Random(seed);
    List<Boolean> order = new ArrayList<>();
    while (order.size() < pairs) {
      List<Boolean> two = new ArrayList<>(List.of(true, false));
      Collections.shuffle(two, random);
      order.addAll(two);
    }
    return List.copyOf(order.subList(0, pairs));
  }
}
