package io.orbitkv.kernel.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.page.GroupRule;
import io.orbitkv.api.query.QueryKind;
import io.orbitkv.api.recovery.GroupRange;
import io.orbitkv.api.recovery.RecoveryDemand;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each way in which a lease can differ from what was asked for or promised is named. */
class CertificateCheckerTest {
  private static final QueryKind DEMAND = QueryKind.DEMAND;
  private static final QueryKind SELECTED = QueryKind.SELECTED;

  private final OfferedLease prefix = OfferedLease.prefix(DEMAND, 5, 3);
  private final OfferedLease selected = OfferedLease.selected();

  private static CertifiedGroup with(CertifiedGroup group, int firstPage, int pages) {
    return new CertifiedGroup(
        group.group(), group.rule(), group.domain(), firstPage, pages, group.keyDigest());
  }

  // ---- right leases ----------------------------------------------------------------------------

  @Test
  void check_prefixOfTheQuestion_holds() {
    assertThat(prefix.check()).isNull();
    assertThat(prefix.checkHeld()).isNull();
    assertThat(prefix.certificate.pages()).isEqualTo(3);
  }

  @Test
  void check_wholePrefixOfAProducerWait_holds() {
    assertThat(OfferedLease.prefix(QueryKind.PRODUCER_WAIT, 4, 4).check()).isNull();
  }

  @Test
  void check_claimedPreparation_holds() {
    OfferedLease strict = OfferedLease.selected(QueryKind.PREPARE, selected.model, 128, 512);

    assertThat(OfferedLease.prefix(QueryKind.PREPARE, 4, 1).check()).isNull();
    assertThat(strict.check()).isNull();
    assertThat(strict.certificate.strict()).isTrue();
  }

  @Test
  void check_selectedBoundary_holds() {
    assertThat(selected.check()).isNull();
    assertThat(selected.checkHeld()).isNull();
    assertThat(selected.certificate.groups())
        .extracting(CertifiedGroup::firstPage)
        .containsExactly(2, 6, 7);
    assertThat(selected.certificate.groups())
        .extracting(CertifiedGroup::pages)
        .containsExactly(6, 2, 1);
  }

  @Test
  void check_spanShorterThanTheWindow_holds() {
    assertThat(OfferedLease.selected(SELECTED, selected.model, 128, 192).check()).isNull();
  }

  @Test
  void check_windowOfWholePages_holds() {
    SealedModel model = OfferedLease.model(new GroupRule.Prefix(), new GroupRule.Window(128));

    assertThat(OfferedLease.selected(SELECTED, model, 0, 512).check()).isNull();
  }

  @Test
  void check_keyAskedForTwice_mayHaveOnePageTwice() {
    prefix.askKeys(1, 2, 3, 4, 1, 2, 5, 6, 7, 8);
    prefix.certificate = Certificate.of(prefix.model, prefix.question, new int[] {3});
    int first = prefix.view.add(100, 1, 2, OfferedLease.RANKS);
    int second = prefix.view.add(100, 3, 4, OfferedLease.RANKS);
    prefix.pages = new int[] {first, second, first};

    assertThat(prefix.check()).isNull();
  }

  // ---- another query ---------------------------------------------------------------------------

  @Test
  void check_otherSessionOperationRevisionOrKind_isNamed() {
    for (int wrong = 0; wrong < 4; wrong++) {
      prefix.certifyFor(
          7,
          wrong == 0 ? 4 : 3,
          wrong == 1 ? 12 : 11,
          wrong == 2 ? 1 : 2,
          wrong == 3 ? QueryKind.PREPARE : DEMAND,
          false);

      assertThat(prefix.check())
          .contains("answers another query: [11] revision [2] of session [3], which is DEMAND");
    }
  }

  @Test
  void check_otherGeneration_isNamed() {
    prefix.certifyFor(6, 3, 11, 2, DEMAND, false);

    assertThat(prefix.check()).contains("generation [6], the instance is [7]");
    assertThat(prefix.checkHeld()).contains("generation [6], the instance is [7]");
  }

  @Test
  void check_kindThatHasNoLease_isNamed() {
    assertThat(OfferedLease.prefix(QueryKind.DISCOVER, 2, 2).check()).contains("has no lease");
    assertThat(OfferedLease.prefix(QueryKind.WARM, 2, 2).check()).contains("has no lease");
  }

  @Test
  void check_strictnessOfAnotherKind_isNamed() {
    prefix.certifyFor(7, 3, 11, 2, DEMAND, true);
    selected.certifyFor(7, 3, 11, 2, SELECTED, false);

    assertThat(prefix.check()).contains("strict [true]: the query is [false]");
    assertThat(selected.check()).contains("strict [false]: the query is [true]");
  }

  // ---- counts ----------------------------------------------------------------------------------

  @Test
  void check_questionThatContradictsItself_isNamed() {
    long[] keys = prefix.question.keys();

    prefix.ask(DEMAND, new int[] {0, 1}, new int[] {5}, keys, null);
    assertThat(prefix.check()).contains("[2] groups with [1] counts");

    prefix.ask(DEMAND, new int[] {0, 1}, new int[] {5, 0}, keys, null);
    assertThat(prefix.check()).contains("[2] groups with [2] counts are asked for, [1] are");

    prefix.ask(DEMAND, new int[] {1}, new int[] {5}, keys, null);
    assertThat(prefix.check()).contains("group [0] is certified where group [1] is asked for");

    prefix.ask(DEMAND, new int[] {0}, new int[] {-1}, keys, null);
    assertThat(prefix.check()).contains("[-1] are asked for");

    prefix.ask(DEMAND, new int[] {0}, new int[] {4}, keys, null);
    assertThat(prefix.check()).contains("[10] halves of keys for [4] pages");
  }

  @Test
  void check_morePagesThanAskedFor_isNamed() {
    prefix.certify(0, with(prefix.certificate.groups().getFirst(), 0, 6));

    assertThat(prefix.check()).contains("[6] pages of group [0] are certified, [5] are asked for");
  }

  @Test
  void check_partOfAStrictAnswer_isNamed() {
    assertThat(OfferedLease.prefix(QueryKind.PRODUCER_WAIT, 5, 3).check())
        .contains("a strict answer has [3] of the [5] pages");
    selected.certify(1, with(selected.certificate.groups().get(1), 7, 1));
    assertThat(selected.check()).contains("[1] of the [2] pages asked for of group [1]");
  }

  @Test
  void check_leaseOfMoreOrFewerPagesThanCertified_isNamed() {
    int[] pages = prefix.pages;

    prefix.pages = Arrays.copyOf(pages, 2);
    assertThat(prefix.check()).contains("the lease has [2] pages, [3] are certified");
    assertThat(prefix.checkHeld()).contains("the lease has [2] pages, [3] are certified");

    prefix.pages = Arrays.copyOf(pages, 4);
    assertThat(prefix.check()).contains("the lease has [4] pages, [3] are certified");
  }

  @Test
  void check_leaseOfNothing_isNamed() {
    assertThat(OfferedLease.prefix(DEMAND, 5, 0).check()).contains("not none");
    assertThat(OfferedLease.selected(SELECTED, selected.model, 128, 128).check())
        .contains("not none");
  }

  @Test
  void check_negativeCount_isNamed() {
    prefix.certify(0, with(prefix.certificate.groups().getFirst(), 0, -1));

    assertThat(prefix.check()).contains("group [0] has [-1] pages");
  }

  // ---- prefixes --------------------------------------------------------------------------------

  @Test
  void check_prefixThatBeginsLater_isNamed() {
    prefix.certify(0, with(prefix.certificate.groups().getFirst(), 1, 3));

    assertThat(prefix.check()).contains("begins at place [1]");
  }

  @Test
  void check_gapInThePrefix_isNamed() {
    // The pages of places 0, 2 and 3: what a lookup that skips a missing page would lease.
    long[] keys = prefix.question.keys();
    prefix.pages[1] = prefix.pages[2];
    prefix.pages[2] = prefix.view.add(100, keys[6], keys[7], OfferedLease.RANKS);

    assertThat(prefix.check()).contains("at place [1] of group [0] has the key");
  }

  @Test
  void check_prefixOfAnotherGroup_isNamed() {
    CertifiedGroup group = prefix.certificate.groups().getFirst();
    prefix.ask(DEMAND, new int[] {1}, new int[] {5}, prefix.question.keys(), null);
    prefix.certify(
        0, new CertifiedGroup(1, new GroupRule.Checkpoint(), 101, 0, 3, group.keyDigest()));

    assertThat(prefix.check()).contains("of group 0 alone, not of [1]");
  }

  // ---- selected boundaries ---------------------------------------------------------------------

  @Test
  void check_demandOnAKindThatTakesNone_isNamed() {
    prefix.ask(DEMAND, selected.question.demand());
    prefix.certifyFor(7, 3, 11, 2, DEMAND, true);
    prefix.certify(0, with(prefix.certificate.groups().getFirst(), 0, 5));

    assertThat(prefix.check()).contains("takes no demand");
  }

  @Test
  void check_selectedWithoutDemand_isNamed() {
    selected.ask(SELECTED, null);

    assertThat(selected.check()).contains("without its demand");
  }

  @Test
  void check_demandOfAnotherPageSize_isNamed() {
    List<GroupRange> ranges =
        List.of(
            new GroupRange(0, 128, 512), new GroupRange(1, 384, 512), new GroupRange(2, 448, 512));
    selected.ask(SELECTED, new RecoveryDemand(32, 128, 512, ranges));

    assertThat(selected.check()).contains("pages of [32] tokens, the model of [64]");
  }

  @Test
  void check_groupLeftOut_isNamed() {
    SealedModel fewer = OfferedLease.model(new GroupRule.Prefix(), new GroupRule.Window(100));
    OfferedLease lease = OfferedLease.selected(SELECTED, fewer, 128, 512);
    lease.model = selected.model;

    assertThat(lease.check()).contains("the model has [3] groups, the demand [2]");
  }

  @Test
  void check_demandThatAsksForLessThanTheRule_isNamed() {
    // The whole chain agrees on a window of one page; only the model knows better.
    SealedModel narrow =
        OfferedLease.model(
            new GroupRule.Prefix(), new GroupRule.Window(64), new GroupRule.Checkpoint());
    OfferedLease lease = OfferedLease.selected(SELECTED, narrow, 128, 512);
    lease.model = selected.model;

    assertThat(lease.check()).contains("is not the [2] pages that group [1] needs");
  }

  @Test
  void check_certificateOfAnotherRange_isNamed() {
    CertifiedGroup window = selected.certificate.groups().get(1);
    selected.certify(1, with(window, 5, 2));

    assertThat(selected.check())
        .contains("group [1] is certified with [2] pages from page [5]")
        .contains("needs [2] from page [6]");
  }

  @Test
  void check_pagesAskedForOtherThanTheDemand_isNamed() {
    // One page moves from the window to the checkpoint: the sum is right, the ranges are not.
    selected.ask(
        SELECTED,
        selected.question.groups(),
        new int[] {6, 1, 2},
        selected.question.keys(),
        selected.question.demand());
    selected.certificate = Certificate.of(selected.model, selected.question, new int[] {6, 1, 2});

    assertThat(selected.check()).contains("group [1] is certified with [1] pages from page [6]");
  }

  @Test
  void check_groupsOutOfOrder_areNamed() {
    List<CertifiedGroup> groups = selected.certificate.groups();
    selected.certify(List.of(groups.get(1), groups.get(0), groups.get(2)));

    assertThat(selected.check()).contains("group [1] is certified where group [0] is asked for");
    assertThat(selected.checkHeld()).contains("group [0] after [1]");
  }

  @Test
  void checkHeld_unknownGroup_isNamed() {
    CertifiedGroup group = prefix.certificate.groups().getFirst();
    prefix.certify(0, new CertifiedGroup(2, group.rule(), group.domain(), 0, 3, group.keyDigest()));

    assertThat(prefix.checkHeld()).contains("not one of the model's [2] groups");
  }

  // ---- the model -------------------------------------------------------------------------------

  @Test
  void check_otherRule_isNamed() {
    CertifiedGroup group = prefix.certificate.groups().getFirst();
    prefix.certify(
        0,
        new CertifiedGroup(0, new GroupRule.Window(64), group.domain(), 0, 3, group.keyDigest()));

    assertThat(prefix.check()).contains("by the rule [Window[tokens=64]], its rule is [Prefix");
  }

  @Test
  void check_otherKeySpace_isNamed() {
    CertifiedGroup group = prefix.certificate.groups().getFirst();
    prefix.certify(0, new CertifiedGroup(0, group.rule(), 101, 0, 3, group.keyDigest()));

    assertThat(prefix.check()).contains("certified in key space [101], its own is [100]");
  }

  // ---- pages -----------------------------------------------------------------------------------

  @Test
  void check_otherKeysThanTheCertificates_isNamed() {
    long[] keys = prefix.question.keys().clone();
    keys[5]++;
    prefix.askKeys(keys);
    prefix.page(2).keyLow++;

    assertThat(prefix.check()).contains("certified for other keys");
    assertThat(prefix.checkHeld()).contains("other keys than were promised");
  }

  @Test
  void check_keysInAnotherOrder_isNamed() {
    long[] keys = {3, 4, 1, 2, 5, 6, 7, 8, 9, 10};
    prefix.askKeys(1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
    prefix.certificate = Certificate.of(prefix.model, prefix.question, new int[] {3});
    prefix.askKeys(keys);

    assertThat(prefix.check()).contains("certified for other keys");
  }

  @Test
  void check_pageOfAnotherKey_isNamed() {
    prefix.page(1).keyHigh++;
    assertThat(prefix.check()).contains("at place [1] of group [0] has the key");
    assertThat(prefix.checkHeld()).contains("other keys than were promised");

    prefix.page(1).keyHigh--;
    selected.page(8).keyLow ^= Long.MIN_VALUE;
    assertThat(selected.check()).contains("at place [0] of group [2] has the key");
  }

  @Test
  void check_pageThatIsNotComplete_isNamed() {
    prefix.page(2).resident = false;

    assertThat(prefix.check()).contains("place [2] of group [0] is not complete and findable");
  }

  @Test
  void checkHeld_evictedPage_holds() {
    prefix.page(2).resident = false;

    assertThat(prefix.checkHeld()).isNull();
  }

  @Test
  void check_pageWithoutReference_isNamed() {
    selected.page(7).references = 0;

    assertThat(selected.check()).contains("of group [1] is leased with [0] references");
    assertThat(selected.checkHeld()).contains("of group [1] is leased with [0] references");
  }

  @Test
  void check_pageOfAnotherKeySpace_isNamed() {
    selected.page(8).domain = 101;

    assertThat(selected.check()).contains("of group [2] is of key space [101] instead of [102]");
  }

  @Test
  void check_pageWithoutTheRunOfARank_isNamed() {
    prefix.page(0).ranks = 1;

    assertThat(prefix.check()).contains("has runs of [1] ranks instead of [2]");
  }

  @Test
  void check_noPage_isNamed() {
    prefix.pages[1] = -1;

    assertThat(prefix.check()).contains("place [1] of the lease has no page");
    assertThat(prefix.checkHeld()).contains("place [1] of the lease has no page");
  }

  @Test
  void check_onePageAtTwoPlaces_isNamed() {
    prefix.pages[2] = prefix.pages[0];

    assertThat(prefix.check()).contains("is leased at the places [0] and [2]");
  }

  @Test
  void check_onePageInTwoGroups_isNamed() {
    // Even when the groups ask for equal keys: their pages are not the same.
    long[] keys = selected.question.keys().clone();
    keys[16] = keys[14];
    keys[17] = keys[15];
    selected.askKeys(keys);
    selected.certificate = Certificate.of(selected.model, selected.question, new int[] {6, 2, 1});
    selected.pages[8] = selected.pages[7];

    assertThat(selected.check()).contains("is leased at the places [7] and [8]");
  }

  @Test
  void check_sentence_beginsWithTheQuery() {
    prefix.pages[1] = -1;

    assertThat(prefix.check())
        .startsWith("lease of operation [11] revision [2] of session [3], DEMAND: ");
  }
}
