package io.orbitkv.kernel.policy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.orbitkv.api.policy.ChainFacts;
import io.orbitkv.api.policy.Facts;
import io.orbitkv.api.policy.TierKind;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LineageTest {
  private final Lineage lineage = listening(1 << 12);

  private static Lineage listening(int most) {
    Lineage lineage = new Lineage(most);
    lineage.listen(true);
    return lineage;
  }

  private static long[] keys(long... names) {
    long[] keys = new long[2 * names.length];
    for (int i = 0; i < names.length; i++) {
      keys[2 * i] = names[i] * 31 + 7;
      keys[2 * i + 1] = names[i];
    }
    return keys;
  }

  private static void learn(Lineage lineage, long parent, long... names) {
    lineage.learn(parent == 0 ? 0 : parent * 31 + 7, parent, keys(names), 0, names.length);
  }

  private static ChainFacts chain(Lineage lineage, long parent, long... names) {
    return lineage.chain(
        parent == 0 ? 0 : parent * 31 + 7,
        parent,
        keys(names),
        0,
        names.length,
        names.length,
        TierKind.DRAM);
  }

  private ChainFacts deepest(long... names) {
    return lineage.deepest(keys(names), names.length, 10, TierKind.DEVICE);
  }

  private static long id(long name) {
    return PageIds.of(name * 31 + 7, name);
  }

  @Test
  void nobodyAsked_nothingIsLearned() {
    lineage.listen(false);
    learn(lineage, 0, 1, 2);
    assertEquals(0, lineage.size());
  }

  @Test
  void unknownChain_hasItsFirstPageAsRoot() {
    ChainFacts chain = chain(lineage, 0, 1, 2);
    assertEquals(id(1), chain.id());
    assertEquals(Facts.UNKNOWN, chain.parent());
    assertEquals(Facts.UNKNOWN, chain.lastUseNanos());
    assertEquals(Lineage.unit(id(1)), chain.unitHash());
  }

  @Test
  void pagesOfAConversation_shareTheirRoot() {
    learn(lineage, 0, 1, 2, 3);
    learn(lineage, 3, 4, 5);
    learn(lineage, 3, 6);
    double unit = Lineage.unit(id(1));
    assertEquals(unit, chain(lineage, 3, 4, 5).unitHash());
    assertEquals(unit, chain(lineage, 5, 7).unitHash());
    assertEquals(unit, chain(lineage, 3, 6).unitHash());
    assertEquals(3, chain(lineage, 3, 4, 5).depth());
    assertEquals(5, chain(lineage, 5, 7).depth());
    assertEquals(2, chain(lineage, 0, 1, 2, 3).children());
  }

  @Test
  void pageWithManyFollowers_passesNoRootOn() {
    learn(lineage, 0, 1, 2);
    for (long name = 10; name < 10 + Lineage.SHARED; name++) {
      learn(lineage, 2, name);
      assertEquals(Lineage.unit(id(1)), chain(lineage, 2, name).unitHash());
    }
    assertEquals(Lineage.unit(id(50)), chain(lineage, 2, 50).unitHash());
    learn(lineage, 2, 50, 51);
    assertEquals(Lineage.unit(id(50)), chain(lineage, 50, 51).unitHash());
    assertEquals(Lineage.unit(id(1)), chain(lineage, 10, 60).unitHash());
  }

  @Test
  void samePagesAgain_areNoFurtherFollowers() {
    learn(lineage, 0, 1);
    for (int i = 0; i < 20; i++) {
      learn(lineage, 1, 2);
    }
    assertEquals(1, chain(lineage, 0, 1).children());
  }

  @Test
  void uses_areCountedPerPage() {
    learn(lineage, 0, 1, 2);
    lineage.use(1 * 31 + 7, 1, 100);
    lineage.use(1 * 31 + 7, 1, 200);
    assertEquals(2, chain(lineage, 0, 1).uses());
    assertEquals(200, chain(lineage, 0, 1).lastUseNanos());
    assertEquals(0, chain(lineage, 1, 2).uses());
    lineage.compute(0, 0, keys(1, 2, 3), 0, 3, 300);
    assertEquals(3, chain(lineage, 0, 1).uses());
    assertEquals(1, chain(lineage, 1, 2).uses());
    assertEquals(0, chain(lineage, 2, 3).uses());
  }

  // ---- prompts ---------------------------------------------------------------------------------

  @Test
  void prompt_isKnownByItsPagesBehindTheCommonBeginning() {
    learn(lineage, 0, 1, 2);
    for (long name = 10; name < 20; name++) {
      learn(lineage, 2, name, name + 100);
    }
    ChainFacts chain = deepest(1, 2, 19, 119, 900);
    assertEquals(id(19), chain.id());
    assertEquals(id(2), chain.parent());
    assertEquals(2, chain.depth());
    assertEquals(2, chain.pages());
    assertEquals(20, chain.bytes());
    assertEquals(Lineage.unit(id(19)), chain.unitHash());
    assertEquals(Lineage.unit(id(1)), deepest(1, 2, 10, 110).unitHash());
  }

  @Test
  void promptThatIsNewBehindTheCommonBeginning_isKnownByItsFirstPageThere() {
    learn(lineage, 0, 1);
    for (long name = 10; name < 20; name++) {
      learn(lineage, 1, name);
    }
    ChainFacts chain = deepest(1, 50, 51);
    assertEquals(id(50), chain.id());
    assertEquals(1, chain.pages());
    assertEquals(Lineage.unit(id(50)), chain.unitHash());
    assertEquals(Facts.UNKNOWN, chain.lastUseNanos());
  }

  @Test
  void promptThatIsTheCommonBeginning_hasAChain() {
    learn(lineage, 0, 1);
    for (long name = 10; name < 20; name++) {
      learn(lineage, 1, name);
    }
    assertEquals(id(1), deepest(1).id());
  }

  @Test
  void unknownPrompt_hasItsFirstPageAsRoot() {
    ChainFacts chain = deepest(1, 2);
    assertEquals(id(1), chain.id());
    assertEquals(0, chain.depth());
    assertEquals(Lineage.unit(id(1)), chain.unitHash());
  }

  // ---- memory ----------------------------------------------------------------------------------

  @Test
  void fullMemory_forgetsTheOldestThatWasNotMetAgain() {
    Lineage small = listening(4);
    learn(small, 0, 1);
    learn(small, 0, 2);
    learn(small, 0, 3);
    learn(small, 0, 4);
    learn(small, 0, 1);
    learn(small, 0, 5);
    assertEquals(4, small.size());
    small.use(1 * 31 + 7, 1, 5);
    small.use(2 * 31 + 7, 2, 5);
    assertEquals(1, chain(small, 0, 1).uses());
    assertEquals(0, chain(small, 0, 2).uses());
  }

  @Test
  void manyPages_stayWithinBounds() {
    Lineage small = listening(1_000);
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 20_000; i++) {
      long parent = random.nextInt(3) == 0 ? 0 : 1 + random.nextInt(3_000);
      learn(small, parent, 1 + random.nextInt(3_000), 1 + random.nextInt(3_000));
      small.use(random.nextInt(3_000) * 31L + 7, random.nextInt(3_000), i);
      assertTrue(small.size() <= 1_000);
    }
    assertEquals(1_000, small.size());
  }

  @Test
  void units_areSpreadEvenly() {
    int[] parts = new int[10];
    for (long name = 1; name <= 10_000; name++) {
      double unit = Lineage.unit(id(name));
      assertTrue(unit >= 0 && unit < 1);
      parts[(int) (unit * 10)]++;
    }
    for (int part : parts) {
      assertEquals(1_000, part, 150);
    }
    assertNotEquals(Lineage.unit(1), Lineage.unit(2));
  }
}
