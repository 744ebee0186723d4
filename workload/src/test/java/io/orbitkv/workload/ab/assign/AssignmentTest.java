package io.orbitkv.workload.ab.assign;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.orbitkv.workload.trace.PageKeys;
import io.orbitkv.workload.trace.TraceRequest;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AssignmentTest {
  private static final int CONVERSATIONS = 400;
  private static final int TURNS = 4;
  private static final long SHARED_BLOCK = 1;

  @Test
  void hashOfTheFirstPage_sharedByAll_putsEverythingIntoOneArm() {
    Split split = new Split(0.5, 7);
    Set<Arm> arms = new HashSet<>();
    for (Turn turn : turns()) {
      arms.add(split.arm(turn.keys()[0]));
    }

    assertThat(arms).hasSize(1);
  }

  @Test
  void hashOfTheRequest_tearsConversationsApart() {
    Split split = new Split(0.5, 7);
    Map<Integer, Set<Arm>> arms = new HashMap<>();
    for (Turn turn : turns()) {
      long last = turn.keys()[turn.keys().length - 2];
      arms.computeIfAbsent(turn.conversation(), _ -> new HashSet<>()).add(split.arm(last));
    }

    assertThat(arms.values().stream().filter(both -> both.size() == 2).count())
        .as("conversations whose turns are in both arms, of %d", CONVERSATIONS)
        .isGreaterThan(CONVERSATIONS * 3L / 4);
  }

  @Test
  void rootOfTheChain_keepsConversationsWholeAndSplitsThemEvenly() {
    Split split = new Split(0.5, 7);
    ChainRoots roots = new ChainRoots(1 << 20);
    Map<Integer, Arm> arms = new HashMap<>();
    int torn = 0;
    for (Turn turn : turns()) {
      Arm arm = split.arm(roots.rootOf(turn.keys()));
      Arm before = arms.putIfAbsent(turn.conversation(), arm);
      torn += before != null && before != arm ? 1 : 0;
    }
    Map<Arm, Integer> sizes = new EnumMap<>(Arm.class);
    arms.values().forEach(arm -> sizes.merge(arm, 1, Integer::sum));

    assertThat(torn).isZero();
    assertThat(sizes.get(Arm.A)).isBetween(160, 240);
  }

  @Test
  void rootOf_followUp_inheritsFromItsDeepestKnownPage() {
    ChainRoots roots = new ChainRoots(1 << 10);
    long root = roots.rootOf(keys(10, 11, 12));

    assertThat(roots.rootOf(keys(10, 11, 12, 13))).isEqualTo(root);
    assertThat(roots.rootOf(keys(10, 11, 20))).isEqualTo(root);
    assertThat(roots.rootOf(keys(30, 31))).isNotEqualTo(root);
  }

  @Test
  void rootOf_pageWithEightFollowers_passesNoRootOn() {
    ChainRoots roots = new ChainRoots(1 << 10);
    Set<Long> first = new HashSet<>();
    for (int other = 0; other < ChainRoots.FAN_OUT; other++) {
      first.add(roots.rootOf(keys(SHARED_BLOCK, 100 + other)));
    }

    assertThat(first).hasSize(1);
    assertThat(roots.rootOf(keys(SHARED_BLOCK, 200))).isNotIn(first);
    assertThat(roots.rootOf(keys(SHARED_BLOCK, 201))).isNotIn(first);
  }

  @Test
  void rootOf_moreThanTheLimit_forgetsTheOldest() {
    ChainRoots roots = new ChainRoots(2);
    long root = roots.rootOf(keys(1, 2));
    long other = roots.rootOf(keys(3, 4));

    assertThat(other).isNotEqualTo(root);
    assertThat(roots.rootOf(keys(1, 2, 5))).isEqualTo(root);
  }

  @Test
  void split_otherSalt_isAnotherSplit() {
    Split seven = new Split(0.5, 7);
    Split eight = new Split(0.5, 8);
    int different = 0;
    int ofA = 0;
    for (long unit = 0; unit < 10_000; unit++) {
      different += seven.arm(unit) == eight.arm(unit) ? 0 : 1;
      ofA += seven.arm(unit) == Arm.A ? 1 : 0;
    }

    assertThat(different).isBetween(4_700, 5_300);
    assertThat(ofA).isBetween(4_700, 5_300);
    assertThat(seven.arm("engine-0")).isEqualTo(new Split(0.5, 7).arm("engine-0"));
  }

  @Test
  void split_armWithoutRequests_isRefused() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Split(1, 7));
  }

  private record Turn(int conversation, long[] keys) {}

  /** All prompts begin with one shared block; turns of conversations interleave. */
  private static List<Turn> turns() {
    List<Turn> turns = new ArrayList<>();
    for (int turn = 1; turn <= TURNS; turn++) {
      for (int conversation = 0; conversation < CONVERSATIONS; conversation++) {
        long[] blocks = new long[turn + 1];
        blocks[0] = SHARED_BLOCK;
        for (int i = 1; i <= turn; i++) {
          blocks[i] = 1_000L * (conversation + 1) + i;
        }
        turns.add(new Turn(conversation, keys(blocks)));
      }
    }
    return turns;
  }

  private static long[] keys(long... blocks) {
    int tokens = TraceRequest.BLOCK_TOKENS;
    return PageKeys.of(new TraceRequest(0, 0, blocks.length * tokens, 1, blocks), tokens);
  }
}
