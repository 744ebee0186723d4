package io.orbitkv.ssd.sim.rule;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What runs are made of.
 *
 * @param name as in the command line
 * @param summary what happens
 */
public record Scenario(String name, String summary) {
  /** Of everything something, by seed. */
  public static final Scenario MIXED =
      new Scenario("mixed", "one of the others in turn, by the seed");

  /** The device does as it says. */
  public static final Scenario CRASH =
      new Scenario("crash", "kills and losses of power, over an honest device");

  /** The device fails and says so. */
  public static final Scenario FAIL =
      new Scenario("fail", "crashes, and a device that fails, stalls and is short");

  /** The device lies. */
  public static final Scenario LIE =
      new Scenario("lie", "crashes, and a device that loses and misdirects writes and flips bits");

  /** Every place of one history after the other. */
  public static final Scenario SWEEP =
      new Scenario("sweep", "one history for 256 seeds, each of which crashes at the next place");

  /** Two copies of a page at once, as often as possible. */
  public static final Scenario COPIES =
      new Scenario("copies", "pages evicted, moved and written anew while the last copy goes");

  /** All of them; the first is the default. */
  public static final List<Scenario> ALL = List.of(MIXED, CRASH, COPIES, FAIL, LIE, SWEEP);

  /** The scenario of that name, or null. */
  public static @Nullable Scenario named(String name) {
    for (Scenario scenario : ALL) {
      if (scenario.name.equals(name)) {
        return scenario;
      }
    }
    return null;
  }
}
