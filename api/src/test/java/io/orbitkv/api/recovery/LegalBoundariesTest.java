package io.orbitkv.api.recovery;

import static io.orbitkv.api.recovery.Contracts.CHECKPOINT;
import static io.orbitkv.api.recovery.Contracts.FOREIGN;
import static io.orbitkv.api.recovery.Contracts.MODEL;
import static io.orbitkv.api.recovery.Contracts.PREFIX;
import static io.orbitkv.api.recovery.Contracts.allEnds;
import static io.orbitkv.api.recovery.Contracts.contract;
import static io.orbitkv.api.recovery.Contracts.ends;
import static io.orbitkv.api.recovery.Contracts.evidence;
import static io.orbitkv.api.recovery.Contracts.window;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class LegalBoundariesTest {
  private static final RecoveryContract RECURRENT = contract(64, PREFIX, CHECKPOINT);
  private static final RecoveryContract WINDOW = contract(64, PREFIX, window(100));
  private static final int[] ALL = allEnds(64, 0, 512);

  private static Boundaries recurrent(int... checkpoints) {
    return RECURRENT.boundaries(evidence(0, 512, ALL, checkpoints));
  }

  // ---- legal -----------------------------------------------------------------------------------

  @Test
  void boundaries_fullAttentionAlone_areAllPageEnds() {
    Boundaries legal = contract(64, PREFIX).boundaries(evidence(0, 512, ALL));

    assertThat(legal.toArray()).containsExactly(ALL);
    assertThat(legal.size()).isEqualTo(8);
    assertThat(legal.startToken()).isZero();
    assertThat(legal.endToken()).isEqualTo(512);
  }

  @Test
  void boundaries_gapInGroupZero_endThere() {
    Boundaries legal = contract(64, PREFIX).boundaries(evidence(0, 512, ends(64, 128, 256, 512)));

    assertThat(legal.toArray()).containsExactly(64, 128);
  }

  @Test
  void boundaries_firstPageMissing_areNone() {
    assertThat(contract(64, PREFIX).boundaries(evidence(0, 512, ends(128, 192))).isEmpty())
        .isTrue();
  }

  @Test
  void boundaries_recurrentState_areItsCheckpoints() {
    assertThat(recurrent(128, 320, 512).toArray()).containsExactly(128, 320, 512);
  }

  @Test
  void boundaries_checkpointBeyondAttention_isNone() {
    Boundaries legal = RECURRENT.boundaries(evidence(0, 512, ends(64, 128), ends(128, 512)));

    assertThat(legal.toArray()).containsExactly(128);
  }

  @Test
  void boundaries_windowWithGaps_needTwoPagesInARow() {
    Boundaries legal = WINDOW.boundaries(evidence(0, 512, ALL, ends(128, 192, 320, 448, 512)));

    // 128 lacks the page that ends at 64, 320 and 448 the one before them.
    assertThat(legal.toArray()).containsExactly(192, 512);
  }

  @Test
  void boundaries_firstPageOfAWindow_needsNoMoreThanTheSpan() {
    Boundaries legal = WINDOW.boundaries(evidence(128, 512, allEnds(64, 128, 512), ends(192)));

    assertThat(legal.toArray()).containsExactly(192);
  }

  @Test
  void boundaries_threeGroups_needAllOfThem() {
    RecoveryContract contract = contract(64, PREFIX, window(100), CHECKPOINT);

    Boundaries legal =
        contract.boundaries(
            evidence(0, 512, ALL, ends(256, 320, 384, 512), ends(64, 256, 384, 512)));

    assertThat(legal.toArray()).containsExactly(384);
  }

  @Test
  void boundaries_emptySpan_areNone() {
    assertThat(RECURRENT.boundaries(evidence(128, 128, ends(), ends())).isEmpty()).isTrue();
  }

  @Test
  void boundaries_groupsInAnyOrder_areFound() {
    BoundaryEvidence evidence =
        new BoundaryEvidence(
            MODEL, 0, 512, List.of(new GroupEvidence(1, ends(128)), new GroupEvidence(0, ALL)));

    assertThat(RECURRENT.boundaries(evidence)).isEqualTo(recurrent(128));
  }

  @Test
  void boundaries_largestSpan_takesOnePass() {
    int tokens = RecoveryContract.MAX_SPAN_PAGES;
    int[] all = allEnds(1, 0, tokens);

    Boundaries legal =
        contract(1, PREFIX, window(tokens), CHECKPOINT)
            .boundaries(evidence(0, tokens, all, all, all));

    assertThat(legal.size()).isEqualTo(tokens);
  }

  // ---- choosing --------------------------------------------------------------------------------

  @Test
  void largestWithin_promptOf512Tokens_cannotUseCheckpoint512() {
    Boundaries legal = recurrent(256, 512);

    assertThat(legal.largestWithin(RecoveryContract.usableTokens(512))).hasValue(256);
    assertThat(legal.largestWithin(RecoveryContract.usableTokens(513))).hasValue(512);
  }

  @Test
  void largestWithin_nothingSmallEnough_isEmpty() {
    assertThat(recurrent(512).largestWithin(511)).isEmpty();
    assertThat(recurrent().largestWithin(Integer.MAX_VALUE)).isEmpty();
    assertThat(recurrent(64).largestWithin(Integer.MIN_VALUE)).isEmpty();
  }

  @Test
  void largestWithin_betweenBoundaries_isNeverRoundedUp() {
    assertThat(recurrent(128, 320).largestWithin(319)).hasValue(128);
    assertThat(recurrent(128, 320).largestWithin(Integer.MAX_VALUE)).hasValue(320);
  }

  // ---- ranks -----------------------------------------------------------------------------------

  @Test
  void intersection_minimumOfMaximaThatOneRankLacks_isNotChosen() {
    Boundaries first = recurrent(128, 256, 512);
    Boundaries second = recurrent(128, 384);

    Boundaries common = Boundaries.intersection(List.of(first, second));

    int minimumOfMaxima =
        Math.min(first.largestWithin(512).orElseThrow(), second.largestWithin(512).orElseThrow());
    assertThat(minimumOfMaxima).isEqualTo(384);
    assertThat(first.contains(minimumOfMaxima)).isFalse();
    assertThat(common.largestWithin(512)).hasValue(128);
    assertThat(common.contract()).isEqualTo(RECURRENT);
  }

  @Test
  void intersection_oneRank_isItsOwn() {
    assertThat(Boundaries.intersection(List.of(recurrent(64)))).isEqualTo(recurrent(64));
  }

  @Test
  void intersection_nothingInCommon_isEmpty() {
    assertThat(Boundaries.intersection(List.of(recurrent(64, 192), recurrent(128))).isEmpty())
        .isTrue();
  }

  @Test
  void intersection_nobody_isRefused() {
    assertThatThrownBy(() -> Boundaries.intersection(List.of()))
        .hasMessageContaining("no rank reported");
  }

  @Test
  void intersect_otherContractOrSpan_isRefused() {
    Boundaries legal = recurrent(512);
    Boundaries window = WINDOW.boundaries(evidence(0, 512, ALL, ALL));
    Boundaries later = Boundaries.of(RECURRENT, 64, 512, ends(512));
    Boundaries shorter = Boundaries.of(RECURRENT, 0, 448, ends());

    assertThatThrownBy(() -> legal.intersect(window)).hasMessageContaining("contract");
    assertThatThrownBy(() -> legal.intersect(later)).hasMessageContaining("[64, 512)");
    assertThatThrownBy(() -> legal.intersect(shorter)).hasMessageContaining("[0, 448)");
  }

  @Test
  void of_reportedBoundaries_areThoseOfTheRank() {
    Boundaries legal = recurrent(128, 512);

    assertThat(Boundaries.of(RECURRENT, 0, 512, legal.toArray()))
        .isEqualTo(legal)
        .hasSameHashCodeAs(legal)
        .hasToString("boundaries [128, 512] of [0, 512)")
        .isNotEqualTo(recurrent(128))
        .isNotEqualTo(Boundaries.of(RECURRENT, 64, 512, ends(128, 512)))
        .isNotEqualTo(Boundaries.of(RECURRENT, 0, 576, ends(128, 512)))
        .isNotEqualTo(Boundaries.of(WINDOW, 0, 512, ends(128, 512)))
        .isNotEqualTo("boundaries");
  }

  @Test
  void of_boundariesThatAreNone_areRefused() {
    assertThatThrownBy(() -> Boundaries.of(RECURRENT, 0, 512, ends(0)))
        .hasMessageContaining("boundary [0] is outside");
    assertThatThrownBy(() -> Boundaries.of(RECURRENT, 0, 511, ends()))
        .hasMessageContaining("not aligned");
  }

  @Test
  void of_arrayChangedLater_staysAsItWas() {
    int[] reported = {128, 512};
    Boundaries legal = Boundaries.of(RECURRENT, 0, 512, reported);

    reported[0] = 64;
    legal.toArray()[1] = 448;

    assertThat(legal.toArray()).containsExactly(128, 512);
  }

  // ---- hostile evidence ------------------------------------------------------------------------

  private static void assertRefused(BoundaryEvidence evidence, String message) {
    assertThatThrownBy(() -> RECURRENT.boundaries(evidence))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private static BoundaryEvidence of(GroupEvidence... groups) {
    return new BoundaryEvidence(MODEL, 0, 512, List.of(groups));
  }

  @Test
  void boundaries_foreignNamespace_isRefused() {
    assertRefused(new BoundaryEvidence(FOREIGN, 0, 512, List.of()), FOREIGN.digest());
  }

  @Test
  void boundaries_spanThatIsNone_isRefused() {
    assertRefused(evidence(-64, 512, ends(), ends()), "negative");
    assertRefused(evidence(512, 64, ends(), ends()), "reversed");
    assertRefused(evidence(1, 512, ends(), ends()), "not aligned");
    assertRefused(evidence(0, 64 * ((1 << 20) + 1), ends(), ends()), "at most");
  }

  @Test
  void boundaries_unknownGroup_isRefused() {
    for (int id : new int[] {2, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertRefused(of(new GroupEvidence(id, ends())), "unknown group [" + id + "]");
    }
  }

  @Test
  void boundaries_missingGroup_isRefused() {
    assertRefused(of(new GroupEvidence(0, ALL)), "group [1] is missing");
    assertRefused(of(new GroupEvidence(1, ALL)), "group [0] is missing");
  }

  @Test
  void boundaries_groupTwice_isRefused() {
    assertRefused(
        of(new GroupEvidence(0, ALL), new GroupEvidence(0, ALL)), "group [0] is there twice");
  }

  @Test
  void boundaries_pageEndsThatAreNone_areRefused() {
    assertRefused(evidence(0, 512, ends(128, 64), ends()), "[64] after [128]");
    assertRefused(evidence(0, 512, ends(64, 64), ends()), "[64] after [64]");
    assertRefused(evidence(0, 512, ALL, ends(576)), "group [1] [576] is outside");
    assertRefused(evidence(64, 512, ends(64), ends()), "[64] is outside");
    assertRefused(evidence(0, 512, ends(-64), ends()), "[-64] is outside");
    assertRefused(evidence(0, 512, ends(65), ends()), "[65] is not aligned");
  }

  @Test
  void evidence_moreGroupsThanAModelHas_isRefused() {
    List<GroupEvidence> many = Collections.nCopies(17, new GroupEvidence(0, ALL));

    assertThatThrownBy(() -> new BoundaryEvidence(MODEL, 0, 512, many))
        .hasMessageContaining("[17] groups");
  }

  // ---- discovery -------------------------------------------------------------------------------

  @Test
  void evidence_positionsOfADiscovery_becomePageEnds() {
    BoundaryEvidence evidence =
        RECURRENT.evidence(128, 512, new int[] {0, 1}, new int[] {3, 2}, ends(0, 1, 2, 1, 5));

    assertThat(evidence.groups().get(0).pageEnds()).containsExactly(192, 256, 320);
    assertThat(evidence.groups().get(1).pageEnds()).containsExactly(256, 512);
    assertThat(RECURRENT.boundaries(evidence).toArray()).containsExactly(256);
  }

  @Test
  void evidence_countsThatDoNotAddUp_areRefused() {
    assertThatThrownBy(() -> RECURRENT.evidence(0, 512, new int[] {0, 1}, new int[] {1}, ends(0)))
        .hasMessageContaining("[2] groups with [1] counts");
    assertThatThrownBy(
            () -> RECURRENT.evidence(0, 512, new int[] {0, 1}, new int[] {1, 1}, ends(0)))
        .hasMessageContaining("[1] positions of group [1]: [0] are left");
    assertThatThrownBy(() -> RECURRENT.evidence(0, 512, new int[] {0}, new int[] {1}, ends(0, 1)))
        .hasMessageContaining("[1] positions belong to no group");
    assertThatThrownBy(() -> RECURRENT.evidence(0, 512, new int[] {0}, new int[] {-1}, ends()))
        .hasMessageContaining("[-1] positions");
  }

  @Test
  void evidence_positionOutsideTheSpan_isRefused() {
    for (int position : new int[] {-1, 8, Integer.MAX_VALUE}) {
      assertThatThrownBy(
              () -> RECURRENT.evidence(0, 512, new int[] {0}, new int[] {1}, ends(position)))
          .hasMessageContaining("position [" + position + "]");
    }
  }
}
