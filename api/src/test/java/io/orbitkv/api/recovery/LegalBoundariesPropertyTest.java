package io.orbitkv.api.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import io.orbitkv.api.page.GroupRule;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Boundaries against an oracle that looks at each page of each range of each boundary. */
class LegalBoundariesPropertyTest {
  private static GroupRule rule(int choice, int pageTokens) {
    return choice == 0
        ? Contracts.CHECKPOINT
        : choice == 1 ? Contracts.PREFIX : Contracts.window(1 + choice * pageTokens / 3);
  }

  private static RecoveryContract contract(int pageTokens, List<Integer> choices) {
    List<GroupRule> rules = new ArrayList<>(List.of(Contracts.PREFIX));
    choices.forEach(choice -> rules.add(rule(choice, pageTokens)));
    return Contracts.contract(pageTokens, rules.toArray(GroupRule[]::new));
  }

  /** Which pages of the span each group has; group 0 has most, so that boundaries are found. */
  private static List<BitSet> pages(RecoveryContract contract, int spanPages, Random random) {
    List<BitSet> pages = new ArrayList<>();
    for (int group = 0; group < contract.groups().size(); group++) {
      int percent = group == 0 ? 95 : 40 + random.nextInt(60);
      BitSet present = new BitSet();
      IntStream.range(0, spanPages)
          .filter(page -> random.nextInt(100) < percent)
          .forEach(present::set);
      pages.add(present);
    }
    return pages;
  }

  private static BoundaryEvidence evidence(
      RecoveryContract contract, int startPage, int spanPages, List<BitSet> pages) {
    int tokens = contract.pageTokens();
    int[][] ends =
        pages.stream()
            .map(set -> set.stream().map(page -> (startPage + page + 1) * tokens).toArray())
            .toArray(int[][]::new);
    return Contracts.evidence(startPage * tokens, (startPage + spanPages) * tokens, ends);
  }

  private static boolean legal(
      RecoveryContract contract, int startPage, int boundaryPage, List<BitSet> pages) {
    int tokens = contract.pageTokens();
    for (GroupRange range : contract.requiredRanges(startPage * tokens, boundaryPage * tokens)) {
      for (int page = range.startToken() / tokens; page < boundaryPage; page++) {
        if (!pages.get(range.group()).get(page - startPage)) {
          return false;
        }
      }
    }
    return true;
  }

  private static int[] oracle(
      RecoveryContract contract, int startPage, int spanPages, List<BitSet> pages) {
    return IntStream.rangeClosed(startPage + 1, startPage + spanPages)
        .filter(boundary -> legal(contract, startPage, boundary, pages))
        .map(boundary -> boundary * contract.pageTokens())
        .toArray();
  }

  @Property(tries = 500)
  void boundaries_anyEvidence_areThoseOfTheOracle(
      @ForAll @IntRange(min = 1, max = 65) int pageTokens,
      @ForAll @Size(max = 5) List<@IntRange(min = 0, max = 20) Integer> choices,
      @ForAll @IntRange(min = 0, max = 9) int startPage,
      @ForAll @IntRange(min = 0, max = 40) int spanPages,
      @ForAll long seed) {
    RecoveryContract contract = contract(pageTokens, choices);
    List<BitSet> pages = pages(contract, spanPages, new Random(seed));

    Boundaries legal = contract.boundaries(evidence(contract, startPage, spanPages, pages));

    assertThat(legal.toArray()).containsExactly(oracle(contract, startPage, spanPages, pages));
  }

  @Property(tries = 300)
  void intersection_anyRanks_hasWhatEachRankHasAndTheChoiceIsLegalOnAll(
      @ForAll @Size(min = 1, max = 3) List<@IntRange(min = 0, max = 9) Integer> choices,
      @ForAll @IntRange(min = 1, max = 30) int spanPages,
      @ForAll @IntRange(min = 1, max = 4) int ranks,
      @ForAll @IntRange(min = 0, max = 2_000) int tokenLimit,
      @ForAll long seed) {
    RecoveryContract contract = contract(64, choices);
    Random random = new Random(seed);
    List<List<BitSet>> pages =
        IntStream.range(0, ranks).mapToObj(rank -> pages(contract, spanPages, random)).toList();
    List<Boundaries> ofRank =
        pages.stream()
            .map(found -> contract.boundaries(evidence(contract, 0, spanPages, found)))
            .toList();

    Boundaries common = Boundaries.intersection(ofRank);
    OptionalInt chosen = common.largestWithin(tokenLimit);

    int[] expected =
        IntStream.rangeClosed(1, spanPages)
            .filter(
                boundary -> pages.stream().allMatch(found -> legal(contract, 0, boundary, found)))
            .map(boundary -> boundary * 64)
            .toArray();
    assertThat(common.toArray()).containsExactly(expected);
    assertThat(chosen)
        .isEqualTo(IntStream.of(expected).filter(boundary -> boundary <= tokenLimit).max());
  }

  @Property(tries = 300)
  void check_anyOwnDemand_isFineAndAnyOtherRangeIsNamed(
      @ForAll @Size(min = 1, max = 4) List<@IntRange(min = 0, max = 9) Integer> choices,
      @ForAll @IntRange(min = 0, max = 9) int startPage,
      @ForAll @IntRange(min = 1, max = 20) int spanPages,
      @ForAll @IntRange(min = 1, max = 20) int otherPages,
      @ForAll @IntRange(min = 0, max = 9) int pick) {
    RecoveryContract contract = contract(64, choices);
    int start = startPage * 64;
    int end = start + spanPages * 64;
    RecoveryDemand own = contract.demand(start, end);
    assertThat(contract.check(own)).isNull();

    int group = 1 + pick % choices.size();
    GroupRange other = new GroupRange(group, end - Math.min(otherPages, spanPages) * 64, end);
    List<GroupRange> ranges = new ArrayList<>(own.ranges());
    GroupRange before = ranges.set(group, other);
    String problem = contract.check(new RecoveryDemand(64, start, end, ranges));

    if (other.equals(before)) {
      assertThat(problem).isNull();
    } else {
      assertThat(problem).contains("group [" + group + "] has the range");
    }
  }

  @Property(tries = 500)
  void boundaries_arbitraryPageEnds_areRefusedOrLegal(
      @ForAll @Size(max = 12) List<@IntRange(min = -2, max = 14) Integer> attention,
      @ForAll @Size(max = 12) List<@IntRange(min = -2, max = 14) Integer> checkpoints,
      @ForAll @IntRange(min = 1, max = 3) int pageTokens) {
    RecoveryContract contract =
        Contracts.contract(pageTokens, Contracts.PREFIX, Contracts.CHECKPOINT);
    int end = 12 / pageTokens * pageTokens;
    int[] full = attention.stream().mapToInt(Integer::intValue).toArray();
    int[] recurrent = checkpoints.stream().mapToInt(Integer::intValue).toArray();
    boolean valid = valid(full, end, pageTokens) && valid(recurrent, end, pageTokens);
    try {
      Boundaries legal = contract.boundaries(Contracts.evidence(0, end, full, recurrent));
      assertThat(valid).isTrue();
      assertThat(checkpoints).containsAll(IntStream.of(legal.toArray()).boxed().toList());
    } catch (IllegalArgumentException refused) {
      assertThat(valid).as(refused.getMessage()).isFalse();
    }
  }

  private static boolean valid(int[] ends, int end, int pageTokens) {
    return IntStream.of(ends).allMatch(e -> e > 0 && e <= end && e % pageTokens == 0)
        && IntStream.of(ends)
            .sorted()
            .distinct()
            .boxed()
            .toList()
            .equals(IntStream.of(ends).boxed().toList());
  }
}
